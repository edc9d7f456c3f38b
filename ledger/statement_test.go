package ledger

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	attestation "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"google.golang.org/protobuf/encoding/protojson"
)

// pemVerifier lets the DSSE library use the exported key.
type pemVerifier struct{ key ed25519.PublicKey }

func (v pemVerifier) KeyID() (string, error)   { return keyIDOf(v.key), nil }
func (v pemVerifier) Public() crypto.PublicKey { return v.key }
func (v pemVerifier) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(v.key, data, sig) {
		return errors.New("bad signature")
	}
	return nil
}

// readWithLibraries verifies an envelope with the public libraries alone.
func readWithLibraries(t *testing.T, envelope, public []byte) (*attestation.Statement, *testresult.TestResult) {
	t.Helper()
	block, _ := pem.Decode(public)
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(envelope, &e); err != nil {
		t.Fatal(err)
	}
	verifier, err := dsse.NewEnvelopeVerifier(pemVerifier{key.(ed25519.PublicKey)})
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := verifier.Verify(context.Background(), &e)
	if err != nil || len(accepted) != 1 {
		t.Fatalf("the envelope does not verify: %v, %v", accepted, err)
	}
	payload, err := e.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	var s attestation.Statement
	if err := protojson.Unmarshal(payload, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatalf("the statement is not valid: %v", err)
	}
	var r testresult.TestResult
	predicate, err := protojson.Marshal(s.GetPredicate())
	if err != nil {
		t.Fatal(err)
	}
	if err := protojson.Unmarshal(predicate, &r); err != nil {
		t.Fatalf("the predicate is no test result: %v", err)
	}
	return &s, &r
}

// export signs the present statement and returns it with the key.
func (f *fixture) export() (envelope, public []byte) {
	f.t.Helper()
	s, err := f.Statement(context.Background(), GateQuery{})
	if err != nil {
		f.t.Fatal(err)
	}
	e, err := f.Sign(s)
	f.do(err)
	envelope, err = json.Marshal(e)
	f.do(err)
	public, err = f.PublicKey()
	f.do(err)
	return envelope, public
}

// TestE16Statement verifies an export offline with public libraries.
func TestE16Statement(t *testing.T) {
	f := newFixture(t)
	f.repo()
	if _, err := f.Statement(context.Background(), GateQuery{}); !errors.Is(err, ErrNothingToExport) {
		t.Errorf("without evidence: %v; want nothing to export", err)
	}
	f.run("npm test", 0)
	before := listFiles(t, filepath.Join(f.project, ".git"))
	envelope, public := f.export()
	if after := listFiles(t, filepath.Join(f.project, ".git")); after != before {
		t.Errorf("the export changed git's directory: %s", cmp.Diff(strings.Split(before, "\n"), strings.Split(after, "\n")))
	}
	s, r := readWithLibraries(t, envelope, public)
	if s.GetPredicateType() != predicateType || r.GetResult() != "PASSED" || !slices.Equal(r.GetPassedTests(), []string{"npm test"}) {
		t.Errorf("statement = %v, result = %v", s.GetPredicateType(), r)
	}
	want := map[string]string{
		"gitTree":   strings.TrimSpace(f.git("rev-parse", "HEAD^{tree}")),
		"gitCommit": strings.TrimSpace(f.git("rev-parse", "HEAD")),
	}
	for _, subject := range s.GetSubject() {
		for algorithm, digest := range subject.GetDigest() {
			if w, ok := want[algorithm]; ok && w != digest {
				t.Errorf("%s = %s; want %s", algorithm, digest, w)
			}
			delete(want, algorithm)
		}
	}
	if len(want) > 0 {
		t.Errorf("the statement does not name %v", want)
	}
	f.write("new.go", "package main\n")
	f.run("npm test", 1)
	s, r = readWithLibraries(t, first(f.export()), public)
	if r.GetResult() != "FAILED" || !slices.Equal(r.GetFailedTests(), []string{"npm test"}) || len(s.GetSubject()) != 2 {
		t.Errorf("result = %v with %d subjects; want FAILED and no commit", r, len(s.GetSubject()))
	}
}

func first(envelope, _ []byte) []byte { return envelope }

// TestE16ChangedStatementIsRefused changes each part of an envelope.
func TestE16ChangedStatementIsRefused(t *testing.T) {
	f := newFixture(t)
	f.repo()
	f.run("npm test", 0)
	envelope, public := f.export()
	var good Envelope
	f.do(json.Unmarshal(envelope, &good))
	if s, err := VerifyEnvelope(&good, public); err != nil || s.Predicate.Result != "PASSED" {
		t.Fatal(s, err)
	}
	other := newFixture(t)
	foreign, err := other.PublicKey()
	f.do(err)
	if _, err := VerifyEnvelope(&good, foreign); err == nil {
		t.Error("it verifies with the key of another install")
	}
	for name, change := range map[string]func(e *Envelope){
		"payload":   func(e *Envelope) { e.Payload = "e30=" },
		"type":      func(e *Envelope) { e.PayloadType = "text/plain" },
		"signature": func(e *Envelope) { e.Signatures = []Signature{{Sig: "AAAA"}} },
		"unsigned":  func(e *Envelope) { e.Signatures = nil },
	} {
		bad := good
		change(&bad)
		if _, err := VerifyEnvelope(&bad, public); err == nil {
			t.Errorf("an envelope with another %s verifies", name)
		}
	}
}
