package typescript

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGenerated fails when the shim's types are not those of package rpc: run
// go generate ./rpc.
func TestGenerated(t *testing.T) {
	want, err := Generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../cmd/pi-guard/extension/protocol.ts")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("cmd/pi-guard/extension/protocol.ts is not what package rpc says (-want +got), run go generate ./rpc\n%s", diff)
	}
}
