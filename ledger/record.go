package ledger

import (
	"encoding/json"
	"fmt"
	"time"
)

// Source says who ran a command (E1).
type Source string

// The sources.
const (
	FromAgent    Source = "agent"
	FromUser     Source = "user" // typed by the person with ! or !!
	FromDelegate Source = "delegate"
)

// Observation is a bash result as the host saw it.
type Observation struct {
	// Cwd is the absolute directory the shell was started in.
	Cwd string
	// Command is the line that ran, as pi ran it.
	Command string
	// ExitCode is the status that pi reported; nil when it reported none.
	ExitCode *int
	// IsError is pi's own error mark.
	IsError bool
	// TimedOut and Aborted say that the run did not come to its own end.
	TimedOut, Aborted bool
	Started, Finished time.Time
	ToolCallID        string
	Source            Source
	// Delegate is the name of the delegate for FromDelegate.
	Delegate string
	// Session overrides Options.Session when it is not empty.
	Session string
	// Output is what the command printed, as far as pi kept it. It is
	// hashed and searched for test counts; it is not stored.
	Output string
	// OutputTruncated says that Output is not all of it.
	OutputTruncated bool
	// Mode and Policy are the permission mode and the policy's hash.
	Mode, Policy string
	// Before is what (*Ledger).Before returned just before the run; nil when
	// it was not asked.
	Before *Tree
}

// Record is one line of observed-bash.jsonl (E1, record version 1).
type Record struct {
	SchemaVersion int    `json:"schemaVersion"`
	Seq           uint64 `json:"seq"`
	KeyID         string `json:"key"`
	Prev          string `json:"prev"`
	payload
	MAC string `json:"mac"`
}

// payload is the part of a record between the chain's own fields.
type payload struct {
	// Kind is "bash", or "notice" for what the ledger found about itself.
	Kind   string  `json:"kind"`
	Notice *notice `json:"notice,omitempty"`

	Cwd string `json:"cwd,omitempty"`
	// CommandHash is the HMAC of the trimmed line with CRLF made LF, "" when
	// it holds a secret (E15).
	CommandHash string `json:"commandHash"`
	// Command is the line with secrets taken out.
	Command     string `json:"command,omitempty"`
	HoldsSecret bool   `json:"holdsSecret,omitempty"`
	IsError     bool   `json:"isError"`
	ExitCode    *int   `json:"exitCode,omitempty"`
	TimedOut    bool   `json:"timedOut,omitempty"`
	Aborted     bool   `json:"aborted,omitempty"`

	RecordedAt   string `json:"recordedAt"`
	RecordedAtMs int64  `json:"recordedAtMs"`
	StartedAtMs  int64  `json:"startedAtMs,omitempty"`
	DurationMs   int64  `json:"durationMs"`

	ToolCallID string `json:"toolCallId,omitempty"`
	Session    string `json:"session,omitempty"`
	Source     Source `json:"source,omitempty"`
	Delegate   string `json:"delegate,omitempty"`

	// Verify is set when the line holds a verify command of the profile.
	Verify *Verification `json:"verify,omitempty"`
	Tests  *TestCounts   `json:"tests,omitempty"`
	// PreDigest and PostDigest are those of the work tree around the run.
	PreDigest  string  `json:"preWorkingTreeDigest,omitempty"`
	PostDigest string  `json:"workingTreeDigest,omitempty"`
	Output     *Output `json:"output,omitempty"`

	Mode    string `json:"mode,omitempty"`
	Policy  string `json:"policy,omitempty"`
	Version string `json:"guardVersion,omitempty"`
}

// Output identifies what a command printed.
type Output struct {
	SHA256    string `json:"sha256"`
	Bytes     int    `json:"bytes"`
	Lines     int    `json:"lines"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Time is when the record was made, to the millisecond.
func (r *Record) Time() time.Time { return time.UnixMilli(r.RecordedAtMs) }

// ParseRecord reads one line of observed-bash.jsonl. It checks the form, not
// the mac: that needs the key (see Verify).
func ParseRecord(line []byte) (Record, error) {
	var r Record
	if _, err := parseEnvelope(line); err != nil {
		return r, err
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("reading a record: %w", err)
	}
	if r.SchemaVersion != schemaVersion {
		return r, fmt.Errorf("reading a record: version %d is not known here, only %d", r.SchemaVersion, schemaVersion)
	}
	return r, nil
}
