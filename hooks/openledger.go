package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
)

// OpenLedger opens a project's ledger outside any session. It asks of evidence
// what the project's profile asks; diags is what there is to say about the
// files of the policy, without which it cannot be known what that is.
func OpenLedger(ctx context.Context, project string, opts Options) (l *ledger.Ledger, diags []profiles.Diagnostic, err error) {
	policy, diags := LoadPolicy(ctx, project, opts.Home, opts.DataDir)
	l, err = ledger.Open(ctx, ledger.Options{
		Project: project, DataDir: opts.DataDir, Version: opts.Version, Contract: contractOf(policy),
	})
	return l, diags, err
}
