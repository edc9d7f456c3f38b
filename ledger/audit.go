package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// AuditRecord is one tool call as the guard handled it (H8). Durations are in
// milliseconds.
type AuditRecord struct {
	Time       time.Time `json:"time"`
	Session    string    `json:"sessionId"`
	Turn       string    `json:"turnId,omitempty"`
	ToolCallID string    `json:"toolCallId"`
	Tool       string    `json:"toolName"`
	Cwd        string    `json:"cwd,omitempty"`
	Delegate   string    `json:"delegate,omitempty"`
	// ArgsHash and ArgsPreview are filled in by Append from Args: the SHA-256
	// of the redacted arguments, and their text with each string cut to 2000
	// characters (D's limit).
	ArgsHash    string          `json:"argsHash"`
	ArgsPreview json.RawMessage `json:"argsPreview,omitempty"`
	Args        json.RawMessage `json:"-"`
	// ExternalPath is the class of an explicit path outside: "", "workspace",
	// "scratch" or "external".
	ExternalPath string `json:"externalPathPermission,omitempty"`
	// Decision is allow, ask-allowed, ask-denied, deny or error; Layer, Rule,
	// File and Line say what decided, Decider who: rule, user, grant, mode,
	// timeout, headless, guard.
	Decision string `json:"decision"`
	Decider  string `json:"decider,omitempty"`
	Layer    string `json:"layer,omitempty"`
	Rule     string `json:"rule,omitempty"`
	RuleFile string `json:"ruleFile,omitempty"`
	RuleLine int    `json:"ruleLine,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Profile  string `json:"permissionProfile,omitempty"`
	Policy   string `json:"policyHash,omitempty"`
	// Prompted is true when a person was asked.
	Prompted         bool    `json:"prompted"`
	PermissionWaitMs float64 `json:"permissionWaitMs"`
	DurationMs       float64 `json:"durationMs"`
	OverheadMs       float64 `json:"overheadMs"`
	TotalMs          float64 `json:"totalMs"`
	Success          bool    `json:"success"`
	ErrorCode        string  `json:"errorCode,omitempty"`
	// Ran is what pi really executed where that differs from what was judged
	// (B24), redacted.
	Ran string `json:"ran,omitempty"`
	// Seq is set by Query.
	Seq uint64 `json:"seq,omitempty"`
}

// Audit is the log of every call of one person, over all projects. It lies in
// the data directory, chained like the evidence. It is safe for concurrent
// use by any number of processes.
type Audit struct {
	chain *chain
	clock func() time.Time
}

// auditAge is how long audit records are kept (D).
const auditAge = 90 * 24 * time.Hour

// maxPreview bounds one string of an arguments preview, in bytes.
const maxPreview = 2000

// OpenAudit opens the audit log in a data directory.
func OpenAudit(dataDir string, clock func() time.Time) (*Audit, error) {
	if !filepath.IsAbs(dataDir) {
		return nil, fmt.Errorf("opening the audit log: data directory %q must be absolute", dataDir)
	}
	key, err := loadKey(dataDir)
	if err != nil {
		return nil, err
	}
	if clock == nil {
		clock = time.Now
	}
	c := newChain("audit.jsonl", safeDir{root: dataDir, rel: []string{"audit"}}, filepath.Join(dataDir, "ledger", "audit"), key)
	c.age = auditAge
	return &Audit{c, clock}, nil
}

// Close releases the log's files.
func (a *Audit) Close() error {
	a.chain.close()
	return nil
}

// Append writes one record. Secrets are taken out of every text first (H9).
func (a *Audit) Append(ctx context.Context, r AuditRecord) error {
	if r.Time.IsZero() {
		r.Time = a.clock()
	}
	if len(r.Args) > 0 {
		r.ArgsPreview, r.ArgsHash = preview(r.Args)
	}
	r.Reason, r.Ran = redacted(r.Reason), clip(redacted(r.Ran), maxPreview)
	r.Rule = redacted(r.Rule)
	text, err := json.Marshal(struct {
		AuditRecord
		Index        string `json:"index"`
		RecordedAtMs int64  `json:"recordedAtMs"`
	}{r, r.Session, r.Time.UnixMilli()})
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	if _, err := a.chain.append(ctx, item{payload: text, key: r.Session, timeMs: r.Time.UnixMilli()}); err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	return nil
}

// preview is the arguments with secrets taken out and long strings cut, and
// the hash of the arguments with secrets taken out.
func preview(args json.RawMessage) (json.RawMessage, string) {
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		value = string(args)
	}
	value = mapStrings(value, func(key, s string) string {
		// A field that is named as a secret is one, whatever it looks like.
		if key != "" && loadRedactTable().names(lowerASCII(key)) && s != "" {
			return loadRedactTable().Marker
		}
		return redacted(s)
	}, "")
	whole, err := json.Marshal(value)
	if err != nil {
		return nil, ""
	}
	sum := sha256.Sum256(whole)
	short, err := json.Marshal(mapStrings(value, func(_, s string) string { return clip(s, maxPreview) }, ""))
	if err != nil || len(short) > maxLine/4 {
		short, _ = json.Marshal(clip(string(whole), maxPreview))
	}
	return short, hex.EncodeToString(sum[:])
}

// mapStrings applies fn to every string in a JSON value, with the key of the
// object it stands in.
func mapStrings(value any, fn func(key, s string) string, key string) any {
	switch v := value.(type) {
	case string:
		return fn(key, v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = mapStrings(v[i], fn, key)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, inner := range v {
			out[k] = mapStrings(inner, fn, k)
		}
		return out
	}
	return value
}

// AuditFilter chooses audit records; empty fields choose all.
type AuditFilter struct {
	Session, ToolCallID, Tool, Decision string
	Since, Until                        time.Time
	// Limit is how many of the newest are returned; 0 means 100.
	Limit int
}

func (f *AuditFilter) matches(r *AuditRecord) bool {
	return (f.Session == "" || f.Session == r.Session) &&
		(f.ToolCallID == "" || f.ToolCallID == r.ToolCallID) &&
		(f.Tool == "" || f.Tool == r.Tool) &&
		(f.Decision == "" || f.Decision == r.Decision) &&
		(f.Since.IsZero() || !r.Time.Before(f.Since)) &&
		(f.Until.IsZero() || r.Time.Before(f.Until))
}

// Query returns the newest matching records, newest first. It reads from the
// end and stops when it has enough.
func (a *Audit) Query(ctx context.Context, f AuditFilter) ([]AuditRecord, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	var out []AuditRecord
	err := a.chain.backwards(ctx, func(env envelope, line []byte) (bool, error) {
		var r AuditRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return false, fmt.Errorf("audit record %d: %w", env.seq, err)
		}
		r.Seq = env.seq
		if r.ToolCallID == "" && r.Tool == "" {
			return true, nil // a notice of the chain itself
		}
		if f.matches(&r) {
			out = append(out, r)
		}
		return len(out) < f.Limit && (f.Since.IsZero() || !r.Time.Before(f.Since.Add(-time.Hour))), nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	return out, nil
}

// Verify reads the whole log and reports whether it is what was recorded.
func (a *Audit) Verify(ctx context.Context) (Report, error) {
	r, err := a.chain.verify(ctx)
	if err != nil {
		return r, fmt.Errorf("verifying the audit log: %w", err)
	}
	return r, nil
}

// backwards calls visit for authentic lines, newest first, until it says stop.
// Lines that are no records of the chain are passed over: verify tells of them.
func (c *chain) backwards(ctx context.Context, visit func(envelope, []byte) (bool, error)) error {
	var names []string
	err := c.reading(ctx, func(*head) error {
		segments, err := c.segments()
		for _, s := range segments {
			if !s.Pruned {
				names = append(names, c.segmentName(s.Number))
			}
		}
		names = append(names, c.name)
		return err
	})
	if err != nil {
		return err
	}
	seal := newSealer(derive(c.key, "chain", c.name, c.sealID))
	for i := len(names) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		more, err := c.backwardsIn(names[i], seal, visit)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (c *chain) backwardsIn(name string, seal *sealer, visit func(envelope, []byte) (bool, error)) (bool, error) {
	f, err := c.dir.openFile(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	text, err := readLimited(f, c.limit+2*maxLine)
	if err != nil {
		return false, fmt.Errorf("%s: %w", f.Name(), err)
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	for len(text) > 0 {
		start := bytes.LastIndexByte(text, '\n') + 1
		line := text[start:]
		text = text[:max(start-1, 0)]
		env, err := parseEnvelope(line)
		if err != nil || !seal.authentic(line, env) {
			continue
		}
		if more, err := visit(env, line); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}
