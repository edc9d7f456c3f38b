package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options says where a ledger lies and what it needs to know.
type Options struct {
	// Project is the absolute directory the evidence is about.
	Project string
	// StateDir holds the records; it lies below Project. The default is
	// .pi/piagent-state (field of R).
	StateDir string
	// DataDir is the person's own directory, outside the project. It holds
	// the key, the heads of the chains, the index and what was seen of trees.
	DataDir string
	// Session is pi's session id.
	Session string
	// Clock is the time; the default is time.Now.
	Clock func() time.Time
	// Version is the guard's version, kept in each record.
	Version string
	// Contract is what the project's profile asks; SetContract changes it.
	Contract Contract
	// Sync makes every append reach the disk before it is acknowledged. Off,
	// an acknowledged record survives the death of any process but not that
	// of the machine.
	Sync bool
	// SegmentBytes is the size at which a file is rotated; 0 means 8 MiB.
	SegmentBytes int64
	// KeepSegments is how many rotated files are kept; 0 keeps all.
	KeepSegments int
}

// Ledger is the evidence of one project. It is safe for concurrent use, and
// any number of processes may have the same one open.
type Ledger struct {
	opts    Options
	project string // canonical
	state   safeDir
	aux     string
	key     []byte
	bash    *chain
	journal *chain
	trees   *treeScanner

	mu       sync.Mutex
	contract Contract
	usage    Usage
}

// Open opens the ledger of a project. It reads no records: what a killed
// process left is mended by the next append, or by the gate.
func Open(ctx context.Context, opts Options) (*Ledger, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(opts.Project) || !filepath.IsAbs(opts.DataDir) {
		return nil, fmt.Errorf("opening the ledger: project %q and data directory %q must be absolute", opts.Project, opts.DataDir)
	}
	project, err := filepath.EvalSymlinks(opts.Project)
	if err != nil {
		return nil, fmt.Errorf("opening the ledger: %w", err)
	}
	if within(opts.DataDir, project) || within(opts.DataDir, opts.Project) {
		return nil, fmt.Errorf("opening the ledger: the data directory %s lies inside the project %s, where its key could be read: choose another", opts.DataDir, project)
	}
	if opts.StateDir == "" {
		opts.StateDir = filepath.Join(opts.Project, ".pi", "piagent-state")
	}
	state, err := stateDir(opts.Project, project, opts.StateDir)
	if err != nil {
		return nil, fmt.Errorf("opening the ledger: %w", err)
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	key, err := loadKey(opts.DataDir)
	if err != nil {
		return nil, err
	}
	l := &Ledger{opts: opts, project: project, state: state, key: key, contract: opts.Contract}
	l.aux = filepath.Join(opts.DataDir, "ledger", keyed(key, project)[:24])
	l.bash = l.newChain("observed-bash.jsonl", state)
	l.journal = l.newChain("events.jsonl", state.sub("task-journal"))
	l.trees = &treeScanner{
		project: project, skip: []string{state.path()}, cache: filepath.Join(l.aux, "tree"),
		store: &treeStore{path: filepath.Join(l.aux, "trees"), limit: maxTreeStore},
	}
	return l, nil
}

// maxTreeStore bounds what is kept of trees, in bytes.
const maxTreeStore = 64 << 20

func (l *Ledger) newChain(name string, dir safeDir) *chain {
	c := newChain(name, dir, l.aux, l.key)
	c.sync, c.keep = l.opts.Sync, l.opts.KeepSegments
	if l.opts.SegmentBytes > 0 {
		c.limit = l.opts.SegmentBytes
	}
	return c
}

// stateDir is the state directory as seen from the canonical project.
func stateDir(project, canonical, dir string) (safeDir, error) {
	rel, err := filepath.Rel(project, dir)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		if rel, err = filepath.Rel(canonical, dir); err != nil {
			return safeDir{}, err
		}
	}
	return newSafeDir(canonical, filepath.Join(canonical, rel))
}

// within reports whether path is dir or lies below it, both lexically.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// Close releases the ledger's files. Nothing is buffered.
func (l *Ledger) Close() error {
	l.bash.close()
	l.journal.close()
	return nil
}

// Project is the canonical directory the ledger is about.
func (l *Ledger) Project() string { return l.project }

// SetContract makes the profile's demands those of c from the next call on.
func (l *Ledger) SetContract(c Contract) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.contract = c
}

// Contract is what the project's profile asks at present.
func (l *Ledger) Contract() Contract {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.contract
}

// errNoLedger is what calls on a nil ledger answer, so that a host whose
// ledger could not be opened goes on and its gate fails.
var errNoLedger = errors.New("the evidence ledger is not open")
