package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func newAudit(t *testing.T) *Audit {
	t.Helper()
	a, err := OpenAudit(t.TempDir(), func() time.Time { return time.UnixMilli(1_700_000_000_000) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func (a *Audit) must(t *testing.T, r AuditRecord) {
	t.Helper()
	if err := a.Append(context.Background(), r); err != nil {
		t.Fatal(err)
	}
}

func TestH8AuditQuery(t *testing.T) {
	a := newAudit(t)
	a.chain.limit = 4000 // several segments
	for i := range 30 {
		a.must(t, AuditRecord{
			Session: fmt.Sprintf("s%d", i%2), ToolCallID: fmt.Sprintf("c%d", i), Tool: "bash", Decision: "allow", Layer: "mode",
			Prompted: i == 3, PermissionWaitMs: 12.5, DurationMs: 3, OverheadMs: 0.25, TotalMs: 15.75, ErrorCode: "TOOL_FAILED",
			Args: json.RawMessage(`{"command":"ls"}`), Time: time.UnixMilli(1_700_000_000_000 + int64(i)*1000),
		})
	}
	got, err := a.Query(context.Background(), AuditFilter{Session: "s1", Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range got {
		ids = append(ids, r.ToolCallID)
	}
	if strings.Join(ids, " ") != "c29 c27 c25" {
		t.Errorf("calls = %v; want c29 c27 c25", ids)
	}
	if r := got[0]; r.PermissionWaitMs != 12.5 || r.TotalMs != 15.75 || r.Layer != "mode" || r.ErrorCode != "TOOL_FAILED" || len(r.ArgsHash) != 64 {
		t.Errorf("record = %+v; fields are missing", r)
	}
	got, err = a.Query(context.Background(), AuditFilter{ToolCallID: "c0"})
	if err != nil || len(got) != 1 {
		t.Errorf("the oldest record is not found: %v, %v", got, err)
	}
	report, err := a.Verify(context.Background())
	if err != nil || !report.Intact || report.Records != 30 {
		t.Errorf("report = %+v, %v; want 30 intact records", report, err)
	}
}

// TestH9AuditHoldsNoSecret looks at every text of a record.
func TestH9AuditHoldsNoSecret(t *testing.T) {
	a := newAudit(t)
	a.must(t, AuditRecord{
		ToolCallID: "c", Tool: "bash", Reason: "password=hunter2x", Ran: "PASSWORD=hunter2x ls",
		Args: json.RawMessage(`{"command":"curl -u me:hunter2x u","nested":[{"apiKey":"hunter2x"}],"long":"` + strings.Repeat("y", 5000) + `"}`),
	})
	got, err := a.Query(context.Background(), AuditFilter{})
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	text, _ := json.Marshal(got[0])
	if strings.Contains(string(text), "hunter2x") {
		t.Errorf("a secret was recorded: %s", text)
	}
	if len(got[0].ArgsPreview) > 2500 {
		t.Errorf("the preview has %d bytes", len(got[0].ArgsPreview))
	}
}
