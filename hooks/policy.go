package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/pi-guard/pi-guard/profiles"
)

// policySource keeps a policy in step with its files: a file that changed, or
// came, or went, makes a new policy at the next call (P4).
type policySource struct {
	sources profiles.Sources

	mu     sync.Mutex
	policy *profiles.Policy
	seen   map[string]fingerprint // of every file that was asked for
}

func newPolicySource(sources profiles.Sources) *policySource {
	return &policySource{sources: sources}
}

// LoadPolicy loads the policy that is in force in a project, with what there is
// to say about its files.
func LoadPolicy(ctx context.Context, project, home, dataDir string) (*profiles.Policy, []profiles.Diagnostic) {
	return profiles.Load(ctx, sourcesFor(project, home, dataDir, ""))
}

// sourcesFor are the usual places of configuration. hostDir is where pi itself
// lies, "" where that is not known: its documents may be read.
func sourcesFor(project, home, dataDir, hostDir string) profiles.Sources {
	src := profiles.Sources{
		Project: project, Home: home, DataDir: dataDir,
		AgentDir: os.Getenv("PI_CODING_AGENT_DIR"), Getenv: os.LookupEnv,
	}
	if exe, err := os.Executable(); err == nil {
		src.Installed = []string{exe}
		src.Reference = append(src.Reference, filepath.Join(filepath.Dir(filepath.Dir(exe)), "docs"))
	}
	if hostDir != "" {
		for _, name := range []string{"docs", "examples", "README.md"} {
			src.Reference = append(src.Reference, filepath.Join(hostDir, name))
		}
	}
	return src
}

// current is the policy in force. changed is true when it is another one than
// the last time, and diags are then what the loader says of the files.
func (s *policySource) current(ctx context.Context) (p *profiles.Policy, changed bool, diags []profiles.Diagnostic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.policy != nil && s.fresh() {
		return s.policy, false, nil
	}
	s.seen = map[string]fingerprint{}
	sources := s.sources
	sources.ReadFile = func(path string) ([]byte, error) {
		s.seen[path] = fingerprintOf(path) // before reading: a change in between is seen next time
		return readConfig(path)
	}
	s.policy, diags = profiles.Load(ctx, sources)
	return s.policy, true, diags
}

func (s *policySource) fresh() bool {
	for path, f := range s.seen {
		if fingerprintOf(path) != f {
			return false
		}
	}
	return true
}

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 4 << 20

func readConfig(path string) ([]byte, error) {
	data, err := Files{}.ReadFile(path, maxConfig)
	if err == nil && len(data) > maxConfig {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", path, maxConfig)
	}
	return data, err
}

// fingerprint tells one state of a file from another without reading it. The
// zero value is that of a file that is not there.
type fingerprint struct {
	device, inode           uint64
	size                    int64
	modified, statusChanged syscall.Timespec
}

func fingerprintOf(path string) fingerprint {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return fingerprint{}
	}
	return fingerprint{uint64(st.Dev), st.Ino, st.Size, st.Mtim, st.Ctim}
}
