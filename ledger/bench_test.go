package ledger

import (
	"strings"
	"testing"
)

func BenchmarkRedactCommand(b *testing.B) {
	for b.Loop() {
		Redact("cd /srv/project && npm run test -- --reporter=dot 2>&1 | tail -20")
	}
}

func BenchmarkRedactOutput(b *testing.B) {
	text := strings.Repeat("ok  	example.org/pkg/token	0.01s	key: value, password checks: 3 passed\n", 1400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Redact(text)
	}
}
