package ledger

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The types of an exported statement (E16): in-toto Statement v1, the
// test-result predicate v0.1, and the DSSE envelope around it.
const (
	statementType   = "https://in-toto.io/Statement/v1"
	predicateType   = "https://in-toto.io/attestation/test-result/v0.1"
	statementFormat = "application/vnd.in-toto+json"
)

// Statement is an in-toto Statement v1.
type Statement struct {
	Type          string       `json:"_type"`
	Subject       []Descriptor `json:"subject"`
	PredicateType string       `json:"predicateType"`
	Predicate     TestResult   `json:"predicate"`
}

// Descriptor is an in-toto ResourceDescriptor.
type Descriptor struct {
	Name        string            `json:"name,omitempty"`
	URI         string            `json:"uri,omitempty"`
	Digest      map[string]string `json:"digest,omitempty"`
	Annotations map[string]any    `json:"annotations,omitempty"`
}

// TestResult is the test-result predicate. The tests are the verify commands.
type TestResult struct {
	Result        string       `json:"result"` // PASSED, WARNED or FAILED
	Configuration []Descriptor `json:"configuration"`
	PassedTests   []string     `json:"passedTests,omitempty"`
	WarnedTests   []string     `json:"warnedTests,omitempty"`
	FailedTests   []string     `json:"failedTests,omitempty"`
}

// Envelope is a DSSE envelope.
type Envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"` // base64
	Signatures  []Signature `json:"signatures"`
}

// Signature is one signature of an envelope.
type Signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"` // base64
}

// ErrNothingToExport is what Statement answers when no verify command was
// observed on the present content: absence never means a pass.
var ErrNothingToExport = errors.New("no verify command was observed on the present content")

// Statement says what was observed of the verify commands on the present
// content, as an in-toto statement. Its subject is the work tree, by the
// guard's digest and by git's tree id, and the commit when they are the same.
func (l *Ledger) Statement(ctx context.Context, q GateQuery) (*Statement, error) {
	answer, err := l.Gate(ctx, q)
	if err != nil {
		return nil, err
	}
	if digestHex(answer.Digest) == "" {
		return nil, fmt.Errorf("the work tree cannot be read whole: %s", answer.Text())
	}
	s := &Statement{Type: statementType, PredicateType: predicateType}
	if s.Subject, err = l.subjects(ctx, answer.Digest); err != nil {
		return nil, err
	}
	s.Predicate = testResult(&answer)
	if len(s.Predicate.PassedTests)+len(s.Predicate.WarnedTests)+len(s.Predicate.FailedTests) == 0 {
		return nil, ErrNothingToExport
	}
	return s, nil
}

// testResult draws the predicate from the gate's answer.
func testResult(g *GateAnswer) TestResult {
	r := TestResult{Result: "PASSED"}
	for _, e := range g.Evidence {
		notes := map[string]any{"sequence": e.Seq, "recordedAt": e.RecordedAt, "observed": true}
		if e.Tests != nil {
			notes["tests"] = map[string]any{"runner": e.Tests.Runner, "passed": e.Tests.Passed, "failed": e.Tests.Failed, "skipped": e.Tests.Skipped}
		}
		r.Configuration = append(r.Configuration, commandDescriptor(e.Command, notes))
		if e.Flaky {
			r.WarnedTests = append(r.WarnedTests, e.Command)
		} else {
			r.PassedTests = append(r.PassedTests, e.Command)
		}
	}
	for _, reason := range g.Reasons {
		if reason.Code == "failing" || reason.Code == string(Inconclusive) {
			r.FailedTests = append(r.FailedTests, reason.Command)
			r.Configuration = append(r.Configuration, commandDescriptor(reason.Command, map[string]any{"observed": true, "reason": reason.Text}))
		}
	}
	switch {
	case g.Decision != GatePass:
		r.Result = "FAILED"
	case len(g.Warnings) > 0:
		r.Result = "WARNED"
	}
	return r
}

func commandDescriptor(command string, notes map[string]any) Descriptor {
	sum := sha256.Sum256([]byte(normalise(command)))
	return Descriptor{Name: command, Digest: map[string]string{"sha256": hex.EncodeToString(sum[:])}, Annotations: notes}
}

// subjects names what was tested.
func (l *Ledger) subjects(ctx context.Context, digest string) ([]Descriptor, error) {
	form, sum, _ := strings.Cut(digest, ":")
	work := Descriptor{Name: "work-tree", Digest: map[string]string{strings.ReplaceAll(form, "-", "_"): sum}}
	root, isGit, err := gitRoot(ctx, l.project)
	if err != nil {
		return nil, err
	}
	if !isGit {
		return []Descriptor{work}, nil
	}
	tree, err := l.gitTree(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("naming the work tree as git would: %w", err)
	}
	subjects := []Descriptor{work, {Name: "git-tree", Digest: map[string]string{"gitTree": tree}}}
	head, err := git(ctx, root, "rev-parse", "-q", "--verify", "HEAD^{tree}")
	if err != nil || strings.TrimSpace(string(head)) != tree {
		return subjects, nil // not what is committed
	}
	commit, err := git(ctx, root, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	return append(subjects, Descriptor{Name: "git-commit", Digest: map[string]string{"gitCommit": strings.TrimSpace(string(commit))}}), nil
}

// gitTree is the id that the work tree would have if it were committed. It is
// made with an index and an object store of its own, so that the person's are
// not touched: as an alternate of the scratch store, git would renew the dates
// of the objects it meets there.
func (l *Ledger) gitTree(ctx context.Context, root string) (string, error) {
	scratch, err := os.MkdirTemp(l.opts.DataDir, "git-tree-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	index, err := git(ctx, root, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return "", err
	}
	own := filepath.Join(scratch, "index")
	if err := copyFile(strings.TrimSpace(string(index)), own); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(scratch, "objects"), dirMode); err != nil {
		return "", err
	}
	run := func(args ...string) ([]byte, error) {
		cmd := gitCommand(ctx, root, args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+own, "GIT_OBJECT_DIRECTORY="+filepath.Join(scratch, "objects"))
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", args[0], err)
		}
		return out, nil
	}
	add := []string{"add", "--all", "--", "."}
	if within(l.state.path(), root) {
		add = append(add, ":(exclude,literal)"+below(root, l.state.path()))
	}
	if _, err := run(add...); err != nil {
		return "", err
	}
	// The objects that are not in the scratch store are in the person's.
	tree, err := run("write-tree", "--missing-ok")
	return strings.TrimSpace(string(tree)), err
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Sign puts a statement into a DSSE envelope signed with the install's key, so
// that it can be verified offline with PublicKey.
func (l *Ledger) Sign(s *Statement) (*Envelope, error) {
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("signing a statement: %w", err)
	}
	key := l.signingKey()
	return &Envelope{
		PayloadType: statementFormat,
		Payload:     base64.StdEncoding.EncodeToString(payload),
		Signatures: []Signature{{
			KeyID: keyIDOf(key.Public().(ed25519.PublicKey)),
			Sig:   base64.StdEncoding.EncodeToString(ed25519.Sign(key, preAuth(statementFormat, payload))),
		}},
	}, nil
}

// signingKey is the install's ed25519 key, drawn from the ledger's own.
func (l *Ledger) signingKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(derive(l.key, "statement"))
}

func keyIDOf(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

// preAuth is DSSE's pre-authentication encoding: what is signed.
func preAuth(payloadType string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// PublicKey is the PEM text (PKIX) of the key that verifies the statements of
// this install.
func (l *Ledger) PublicKey() ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(l.signingKey().Public())
	if err != nil {
		return nil, fmt.Errorf("writing the public key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// VerifyEnvelope checks an envelope with a public key in PEM and returns the
// statement in it. It needs neither the ledger nor the project.
func VerifyEnvelope(e *Envelope, publicKey []byte) (*Statement, error) {
	block, _ := pem.Decode(publicKey)
	if block == nil {
		return nil, errors.New("the public key is no PEM text")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading the public key: %w", err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("the public key is no ed25519 key")
	}
	payload, err := base64.StdEncoding.DecodeString(e.Payload)
	if err != nil {
		return nil, fmt.Errorf("reading the envelope: %w", err)
	}
	if e.PayloadType != statementFormat || !e.signedBy(key, payload) {
		return nil, errors.New("the envelope is not signed with this key, or was changed")
	}
	var s Statement
	if err := json.Unmarshal(payload, &s); err != nil {
		return nil, fmt.Errorf("reading the statement: %w", err)
	}
	if s.Type != statementType || s.PredicateType != predicateType {
		return nil, fmt.Errorf("the statement is a %s of %s, not a test result", s.Type, s.PredicateType)
	}
	return &s, nil
}

func (e *Envelope) signedBy(key ed25519.PublicKey, payload []byte) bool {
	for _, s := range e.Signatures {
		sig, err := base64.StdEncoding.DecodeString(s.Sig)
		if err == nil && ed25519.Verify(key, preAuth(e.PayloadType, payload), sig) {
			return true
		}
	}
	return false
}
