package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// maxCommandText bounds the redacted command in a record, in bytes.
const maxCommandText = 16 << 10

// Observe appends one bash result to observed-bash.jsonl (E1). When it returns
// an error nothing was recorded: the gate then fails until the commands have
// been run again, in this process and in every other.
func (l *Ledger) Observe(ctx context.Context, o Observation) (Record, error) {
	if l == nil {
		return Record{}, errNoLedger
	}
	p := l.payloadOf(ctx, o)
	text, err := json.Marshal(p)
	if err != nil {
		return Record{}, fmt.Errorf("recording a command: %w", err)
	}
	out, err := l.bash.append(ctx, item{payload: text, key: p.indexKey(), digest: digestHex(p.PostDigest), timeMs: p.RecordedAtMs})
	if err != nil {
		return Record{}, fmt.Errorf("recording a command: %w", err)
	}
	return Record{SchemaVersion: schemaVersion, Seq: out.seq, MAC: out.mac, payload: p}, nil
}

func (l *Ledger) payloadOf(ctx context.Context, o Observation) payload {
	now := l.opts.Clock()
	command, secret := Redact(normalise(o.Command))
	p := payload{
		Kind: "bash", Cwd: o.Cwd, Command: clip(command, maxCommandText), HoldsSecret: secret,
		IsError: o.IsError, ExitCode: o.ExitCode, TimedOut: o.TimedOut, Aborted: o.Aborted,
		RecordedAt: now.UTC().Format(time.RFC3339Nano), RecordedAtMs: now.UnixMilli(),
		ToolCallID: o.ToolCallID, Session: o.Session, Source: o.Source, Delegate: o.Delegate,
		Mode: o.Mode, Policy: o.Policy, Version: l.opts.Version,
	}
	if p.Session == "" {
		p.Session = l.opts.Session
	}
	if p.Source == "" {
		p.Source = FromAgent
	}
	if !secret {
		p.CommandHash = l.CommandHash(o.Command)
	}
	if !o.Started.IsZero() {
		p.StartedAtMs = o.Started.UnixMilli()
		if d := o.Finished.Sub(o.Started); !o.Finished.IsZero() && d > 0 {
			p.DurationMs = d.Milliseconds()
		}
	}
	if o.Output != "" {
		sum := sha256.Sum256([]byte(o.Output))
		p.Output = &Output{
			SHA256: hex.EncodeToString(sum[:]), Bytes: len(o.Output),
			Lines: strings.Count(o.Output, "\n"), Truncated: o.OutputTruncated,
		}
	}
	if !secret {
		l.verification(ctx, o, &p)
	}
	return p
}

// verification fills in what matters only for a command that can be evidence:
// what its status says, the counts of tests, and the tree around the run.
func (l *Ledger) verification(ctx context.Context, o Observation, p *payload) {
	p.Verify = l.attribute(o)
	if p.Verify != nil {
		if counts, ok := CountTests(o.Output); ok {
			p.Tests = &counts
		}
	}
	if o.Before == nil {
		return
	}
	p.PreDigest = o.Before.Digest
	after, err := l.keptTree(ctx)
	if err != nil {
		// The run is recorded all the same; without a digest it proves nothing.
		p.PostDigest = treeUnavailable + plain(err.Error())
		return
	}
	p.PostDigest = after.Digest
}

// indexKey is what the record is found by: the verify command it stands for,
// or else the line.
func (p *payload) indexKey() string {
	if p.Verify != nil && p.Verify.Hash != "" {
		return p.Verify.Hash
	}
	return p.CommandHash
}

// CommandHash is the keyed hash of a line as records hold it (E15): HMAC-SHA256
// of the trimmed text with CRLF made LF.
func (l *Ledger) CommandHash(command string) string {
	return keyed(derive(l.key, "command"), normalise(command))
}

// normalise trims a line and makes CRLF LF, and changes nothing else: exact
// matching is deliberate (E6).
func normalise(command string) string {
	return strings.TrimSpace(strings.ReplaceAll(command, "\r\n", "\n"))
}

// clip cuts text to at most n bytes and says so.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	const mark = " …[cut]"
	return strings.ToValidUTF8(text[:n-len(mark)], "") + mark
}

// atProject reports whether dir is the project itself.
func (l *Ledger) atProject(dir string) bool {
	if dir == l.project || dir == l.opts.Project {
		return true
	}
	canonical, err := filepath.EvalSymlinks(dir)
	return err == nil && canonical == l.project
}
