package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pi-guard/pi-guard/scripts/internal/pis"
)

// The extension must compile against the types of every release of pi. It
// names the newest package; older ones are put in its place.
func TestExtensionTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("checking types needs both releases of pi")
	}
	tsc, err := pis.TypeScript(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range pis.Releases() {
		t.Run(release.Version, func(t *testing.T) {
			install, err := release.Get(t.Context(), func(step string) { t.Log(step) })
			if err != nil {
				t.Fatal(err)
			}
			config := filepath.Join(t.TempDir(), "tsconfig.json")
			writeTypesConfig(t, config, install)
			if output, err := exec.Command(tsc, "--project", config).CombinedOutput(); err != nil {
				t.Errorf("tsc: %v\n%s", err, output)
			}
		})
	}
}

// writeTypesConfig extends the repository's tsconfig.json by where the types
// of one release are.
func writeTypesConfig(t *testing.T, file string, install pis.Install) {
	t.Helper()
	config := map[string]any{
		"extends": filepath.Join(root(t), "tsconfig.json"),
		"include": []string{filepath.Join(root(t), "cmd/pi-guard/extension/**/*.ts")},
		"compilerOptions": map[string]any{
			"typeRoots": []string{filepath.Join(install.Dir, "node_modules", "@types")},
			"paths": map[string][]string{
				pis.Releases()[0].Package: {filepath.Join(install.PackageDir(), "dist", "index.d.ts")},
			},
		},
	}
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
