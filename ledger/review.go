package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"time"
)

// ReviewChange is the record of one write or edit of the agent, shown with its
// tool result (H6, H §4c). The shape is H's, version 1.
type ReviewChange struct {
	Version    int    `json:"version"`
	SnapshotID string `json:"snapshotId"`
	MessageID  string `json:"messageId"`
	// Path is relative to the project.
	Path string `json:"path"`
	// Operation is "write", "edit" or "delete".
	Operation string `json:"operation"`
	// Status is "added", "modified" or "deleted".
	Status string `json:"status"`
	// State is "active" or "rolledBack".
	State     string     `json:"state"`
	Additions int        `json:"additions"`
	Deletions int        `json:"deletions"`
	Hunks     []DiffHunk `json:"hunks"`
	Binary    bool       `json:"binary,omitempty"`
	Truncated bool       `json:"truncated,omitempty"`
	// Reversible is false when the previous content was too large to keep.
	Reversible bool `json:"reversible"`
}

// The states of a change.
const (
	reviewActive     = "active"
	reviewRolledBack = "rolledBack"
)

// The bounds of review snapshots (D).
const (
	maxReviewBytes = 16 << 20
	// reviewSweepAge is when a session's snapshots are swept that nobody
	// touched.
	reviewSweepAge = 7 * 24 * time.Hour
)

// ErrConflict is what Rollback answers when the file is no longer as the tool
// left it. The file is then untouched.
var ErrConflict = errors.New("CONFLICT")

// Reviews keeps what files were before the agent's writes and edits, outside
// every project. It is safe for concurrent use; calls on one file are ordered
// by whoever makes them (H7).
type Reviews struct {
	root  safeDir
	clock func() time.Time
}

// OpenReviews opens the snapshots in a data directory.
func OpenReviews(dataDir string, clock func() time.Time) (*Reviews, error) {
	if !filepath.IsAbs(dataDir) {
		return nil, fmt.Errorf("opening review snapshots: data directory %q must be absolute", dataDir)
	}
	if clock == nil {
		clock = time.Now
	}
	if err := os.MkdirAll(dataDir, dirMode); err != nil {
		return nil, fmt.Errorf("opening review snapshots: %w", err)
	}
	return &Reviews{safeDir{root: dataDir, rel: []string{"review-changes"}}, clock}, nil
}

// ReviewTarget names the file that a call is about to change.
type ReviewTarget struct {
	Session   string
	MessageID string
	// Project and Path are absolute and canonical, Path below Project.
	Project, Path string
	// Operation is "write", "edit" or "delete".
	Operation string
}

// Snapshot is a file as it was before a call.
type Snapshot struct {
	target ReviewTarget
	meta   reviewMeta
	before []byte
}

// reviewMeta is meta.json of a snapshot.
type reviewMeta struct {
	ReviewChange
	Project string `json:"project"`
	// Existed and Mode are those of the file before.
	Existed bool        `json:"existed"`
	Mode    fs.FileMode `json:"mode"`
	// PostHash is the SHA-256 of the file after the call, "" for no file.
	PostHash  string    `json:"postHash"`
	CreatedAt time.Time `json:"createdAt"`
}

// Before reads a file just before a call changes it. It returns nil for what
// gets no review record: a path outside the project, or no regular file.
func (r *Reviews) Before(t ReviewTarget) (*Snapshot, error) {
	if !within(t.Path, t.Project) || t.Path == t.Project {
		return nil, nil
	}
	s := &Snapshot{target: t}
	s.meta = reviewMeta{
		ReviewChange: ReviewChange{
			Version: 1, SnapshotID: randomHex(12), MessageID: t.MessageID, Path: below(t.Project, t.Path),
			Operation: t.Operation, State: reviewActive, Reversible: true,
		},
		Project: t.Project, CreatedAt: r.clock(),
	}
	file, err := reviewedFile(t.Project, s.meta.Path)
	if err != nil {
		return nil, err
	}
	text, mode, err := file.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case errors.Is(err, errTooLarge):
		s.meta.Existed, s.meta.Mode, s.meta.Reversible = true, mode, false
		return s, nil
	case errors.Is(err, errNotRegular):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("keeping %s for review: %w", s.meta.Path, err)
	}
	s.before, s.meta.Existed, s.meta.Mode = text, true, mode
	return s, nil
}

// After compares the file with the snapshot once the call has succeeded, and
// keeps both. It returns nil when the call changed nothing.
func (r *Reviews) After(s *Snapshot) (*ReviewChange, error) {
	if s == nil {
		return nil, nil
	}
	file, err := reviewedFile(s.target.Project, s.meta.Path)
	if err != nil {
		return nil, err
	}
	after, _, err := file.read()
	exists := true
	switch {
	case errors.Is(err, fs.ErrNotExist):
		exists = false
	case errors.Is(err, errTooLarge):
		s.meta.Reversible, s.meta.Truncated = false, true
	case err != nil:
		return nil, fmt.Errorf("reading %s for review: %w", s.meta.Path, err)
	}
	if !s.compare(after, exists) {
		return nil, nil
	}
	if err := r.save(s); err != nil {
		return nil, fmt.Errorf("keeping %s for review: %w", s.meta.Path, err)
	}
	out := s.meta.ReviewChange
	return &out, nil
}

// compare fills in what changed, and reports whether anything did.
func (s *Snapshot) compare(after []byte, exists bool) bool {
	m := &s.meta
	switch {
	case !m.Existed && !exists:
		return false
	case !m.Existed:
		m.Status = "added"
	case !exists:
		m.Status = "deleted"
	default:
		m.Status = "modified"
	}
	if exists {
		m.PostHash = hexSum(after)
	}
	if !m.Reversible {
		m.PostHash, m.Truncated = "", true
		return true
	}
	if m.Status == "modified" && string(s.before) == string(after) {
		return false
	}
	d := diff(s.before, after)
	m.Hunks, m.Additions, m.Deletions, m.Binary, m.Truncated = d.hunks, d.additions, d.deletions, d.binary, d.truncated
	return true
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// dir is the directory of a session's snapshots. A session id that is no plain
// name is replaced by its hash.
func (r *Reviews) dir(session string) safeDir {
	if !plainName.MatchString(session) {
		session = "x" + hexSum([]byte(session))[:32]
	}
	return r.root.sub(session)
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

func (r *Reviews) save(s *Snapshot) error {
	dir := r.dir(s.target.Session).sub(s.meta.SnapshotID)
	if s.meta.Existed && s.meta.Reversible {
		if err := dir.writeFile("before", s.before); err != nil {
			return err
		}
	}
	return saveMeta(dir, &s.meta)
}

func saveMeta(dir safeDir, m *reviewMeta) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return dir.writeFile("meta.json", text)
}

// maxMeta bounds meta.json: the diff of 512 KiB may double in JSON.
const maxMeta = 4 << 20

func (r *Reviews) load(session, id string) (safeDir, *reviewMeta, error) {
	dir := r.dir(session).sub(id)
	if !plainName.MatchString(id) {
		return dir, nil, fmt.Errorf("there is no change %q", id)
	}
	text, err := dir.readFile("meta.json", maxMeta)
	if errors.Is(err, fs.ErrNotExist) {
		return dir, nil, fmt.Errorf("there is no change %q in this session", id)
	}
	if err != nil {
		return dir, nil, fmt.Errorf("reading change %s: %w", id, err)
	}
	var m reviewMeta
	if err := json.Unmarshal(text, &m); err != nil {
		return dir, nil, fmt.Errorf("reading change %s: %w", id, err)
	}
	return dir, &m, nil
}

// Changes lists the changes of a session, oldest first.
func (r *Reviews) Changes(session string) ([]ReviewChange, error) {
	ids, err := r.dir(session).list()
	if err != nil {
		return nil, fmt.Errorf("listing the session's changes: %w", err)
	}
	var metas []*reviewMeta
	for _, id := range ids {
		_, m, err := r.load(session, id)
		if err != nil {
			return nil, err
		}
		metas = append(metas, m)
	}
	sort.SliceStable(metas, func(i, j int) bool { return metas[i].CreatedAt.Before(metas[j].CreatedAt) })
	out := make([]ReviewChange, len(metas))
	for i, m := range metas {
		out[i] = m.ReviewChange
	}
	return out, nil
}

// Rollback undoes one change: the previous bytes come back, or a file that was
// new goes, but only while the file is exactly as the tool left it; otherwise
// the error is ErrConflict and nothing is touched.
func (r *Reviews) Rollback(ctx context.Context, session, id string) (*ReviewChange, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, m, err := r.load(session, id)
	if err != nil {
		return nil, err
	}
	if m.State == reviewRolledBack {
		return nil, fmt.Errorf("change %s of %s was rolled back already", id, m.Path)
	}
	if !m.Reversible {
		return nil, fmt.Errorf("change %s of %s cannot be rolled back: the file was over %d MiB", id, m.Path, maxReviewBytes>>20)
	}
	if err := m.restore(dir); err != nil {
		return nil, err
	}
	m.State = reviewRolledBack
	if err := saveMeta(dir, m); err != nil {
		return nil, fmt.Errorf("%s was rolled back, but that could not be noted: %w", m.Path, err)
	}
	out := m.ReviewChange
	return &out, nil
}

// restore puts the file back as it was before.
func (m *reviewMeta) restore(dir safeDir) error {
	file, err := reviewedFile(m.Project, m.Path)
	if err != nil {
		return err
	}
	var before []byte
	if m.Existed {
		if before, err = dir.readFile("before", maxReviewBytes); err != nil {
			return fmt.Errorf("reading what %s was: %w", m.Path, err)
		}
	}
	unchanged := func() error {
		now, _, err := file.read()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if m.PostHash == "" {
				return nil
			}
		case err != nil && !errors.Is(err, errTooLarge) && !errors.Is(err, errNotRegular):
			return fmt.Errorf("reading %s: %w", m.Path, err)
		case err == nil && m.PostHash == hexSum(now):
			return nil
		}
		return fmt.Errorf("%w: %s was changed since, and is left as it is", ErrConflict, m.Path)
	}
	if m.Existed {
		return file.replace(before, m.Mode, unchanged)
	}
	return file.remove(unchanged)
}

// Drop removes the snapshots of a session, with the session.
func (r *Reviews) Drop(session string) error {
	if err := r.dir(session).removeAll(); err != nil {
		return fmt.Errorf("removing the session's snapshots: %w", err)
	}
	return nil
}

// Sweep removes the snapshots of sessions that are gone and were not touched
// for seven days. alive says whether a session still exists.
func (r *Reviews) Sweep(alive func(session string) bool) error {
	sessions, err := r.root.list()
	if err != nil {
		return fmt.Errorf("sweeping review snapshots: %w", err)
	}
	for _, session := range sessions {
		s, err := r.root.stat(session)
		if err != nil || alive(session) || r.clock().Sub(time.Unix(0, s.MTime)) < reviewSweepAge {
			continue
		}
		if err := r.root.sub(session).removeAll(); err != nil {
			return fmt.Errorf("sweeping review snapshots: %w", err)
		}
	}
	return nil
}
