package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
)

// IndexNode is one thing in the context index (E10).
type IndexNode struct {
	ID        string   `json:"id"`
	Kind      string   `json:"kind"`
	Label     string   `json:"label"`
	Summary   string   `json:"summary,omitempty"`
	Path      string   `json:"path,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Citations []Cited  `json:"citations,omitempty"`
	// Seen is the content of Path when the node was recorded.
	Seen      string `json:"seen,omitempty"`
	UpdatedAt string `json:"updatedAt"`
}

// IndexEdge relates two nodes.
type IndexEdge struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Kind   string `json:"kind"`
	Reason string `json:"reason,omitempty"`
}

// IndexEntry is one recorded summary with its sources.
type IndexEntry struct {
	Summary     string        `json:"summary"`
	Source      string        `json:"source"`
	SourceFiles []IndexSource `json:"sourceFiles,omitempty"`
	Citations   []Cited       `json:"citations,omitempty"`
	RecordedAt  string        `json:"recordedAt"`
}

// IndexSource is where something was learned.
type IndexSource struct {
	Path   string `json:"path,omitempty"`
	Reason string `json:"reason,omitempty"`
	URL    string `json:"url,omitempty"`
}

// contextIndex is the compact advisory map of a project: it is no evidence.
type contextIndex struct {
	SchemaVersion int          `json:"schemaVersion"`
	Nodes         []IndexNode  `json:"nodes"`
	Edges         []IndexEdge  `json:"edges"`
	Entries       []IndexEntry `json:"entries"`
}

// The bounds of the context index.
const (
	maxIndexBytes   = 8 << 20
	maxIndexNodes   = 5000
	maxIndexEntries = 500
	indexFile       = "index.json"
)

func (l *Ledger) indexDir() safeDir { return l.state.sub("context-index") }

func (l *Ledger) loadIndex() (*contextIndex, error) {
	text, err := l.indexDir().readFile(indexFile, maxIndexBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &contextIndex{SchemaVersion: schemaVersion}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the context index: %w", err)
	}
	var x contextIndex
	if err := json.Unmarshal(text, &x); err != nil || x.SchemaVersion != schemaVersion {
		return nil, fmt.Errorf("the context index %s/%s is damaged: remove it, it only holds hints", l.indexDir().path(), indexFile)
	}
	return &x, nil
}

type indexRecordParams struct {
	Summary     string        `json:"summary"`
	Source      string        `json:"source"`
	SourceFiles []IndexSource `json:"sourceFiles"`
	Nodes       []IndexNode   `json:"nodes"`
	Edges       []IndexEdge   `json:"edges"`
	Citations   []Cited       `json:"citations"`
}

// toolIndexRecord adds to the index.
func (l *Ledger) toolIndexRecord(_ context.Context, p indexRecordParams) (ToolResult, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x, err := l.loadIndex()
	if err != nil {
		return ToolResult{}, err
	}
	for _, n := range p.Nodes {
		if n.Path != "" {
			if err := checkScope([]string{n.Path}); err != nil {
				return ToolResult{}, err
			}
			n.Path = path.Clean(n.Path)
			n.Seen = l.contentOf(n.Path)
		}
		n.Label, n.Summary, n.UpdatedAt = redacted(n.Label), redacted(n.Summary), l.stampTime()
		x.putNode(n)
	}
	for _, e := range p.Edges {
		if x.node(e.From) == nil || x.node(e.To) == nil {
			return ToolResult{}, fmt.Errorf("%w: the edge %s → %s names a node that is not in the index: add the node first", ErrInvalidArgument, e.From, e.To)
		}
		e.Reason = redacted(e.Reason)
		x.putEdge(e)
	}
	if len(x.Nodes) > maxIndexNodes {
		return ToolResult{}, &ToolError{"INDEX_FULL", fmt.Sprintf("the index would have %d nodes, and holds at most %d", len(x.Nodes), maxIndexNodes), "Record fewer, broader nodes"}
	}
	x.Entries = append(x.Entries, IndexEntry{
		redacted(p.Summary), orDefault(p.Source, "manual"), p.SourceFiles, p.Citations, l.stampTime(),
	})
	if n := len(x.Entries); n > maxIndexEntries {
		x.Entries = x.Entries[n-maxIndexEntries:]
	}
	text, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		return ToolResult{}, err
	}
	if err := l.indexDir().writeFile(indexFile, text); err != nil {
		return ToolResult{}, err
	}
	return ToolResult{
		fmt.Sprintf("Recorded. The index has %d nodes, %d edges and %d summaries.", len(x.Nodes), len(x.Edges), len(x.Entries)),
		map[string]int{"nodes": len(x.Nodes), "edges": len(x.Edges), "entries": len(x.Entries)},
	}, nil
}

func (x *contextIndex) node(id string) *IndexNode {
	for i := range x.Nodes {
		if x.Nodes[i].ID == id {
			return &x.Nodes[i]
		}
	}
	return nil
}

func (x *contextIndex) putNode(n IndexNode) {
	if old := x.node(n.ID); old != nil {
		*old = n
		return
	}
	x.Nodes = append(x.Nodes, n)
}

func (x *contextIndex) putEdge(e IndexEdge) {
	for i, old := range x.Edges {
		if old.From == e.From && old.To == e.To && old.Kind == e.Kind {
			x.Edges[i] = e
			return
		}
	}
	x.Edges = append(x.Edges, e)
}

// contentOf is the content hash of a project file, "" when it cannot be read.
func (l *Ledger) contentOf(name string) string {
	root, err := os.OpenRoot(l.project)
	if err != nil {
		return ""
	}
	defer root.Close()
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := readLimited(f, maxBudgetRead)
	if err != nil {
		return ""
	}
	h := hashText(string(data))
	return fmt.Sprintf("%x", h[:8])
}

// toolIndexStatus shows how large the index is and what in it is out of date.
func (l *Ledger) toolIndexStatus(_ context.Context, p detailParams) (ToolResult, error) {
	x, err := l.loadIndex()
	if err != nil {
		return ToolResult{}, err
	}
	kinds, stale, citations := map[string]int{}, []string{}, 0
	for _, n := range x.Nodes {
		kinds[n.Kind]++
		citations += len(n.Citations)
		if n.Seen != "" && l.contentOf(n.Path) != n.Seen {
			stale = append(stale, n.ID)
		}
	}
	out := map[string]any{"nodes": len(x.Nodes), "edges": len(x.Edges), "entries": len(x.Entries), "citations": citations, "kinds": kinds, "stale": stale}
	if p.Detail == "full" {
		out["summaries"] = x.Entries
	}
	text := fmt.Sprintf("The context index has %d nodes, %d edges, %d citations.", len(x.Nodes), len(x.Edges), citations)
	if len(stale) > 0 {
		text += " Their files changed since: " + strings.Join(stale[:min(len(stale), 20)], ", ") + "."
	}
	return ToolResult{text, out}, nil
}

type indexSearchParams struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
}

// IndexHit is a node that a search found.
type IndexHit struct {
	IndexNode
	Score int         `json:"score"`
	Stale bool        `json:"stale"`
	Edges []IndexEdge `json:"edges,omitempty"`
}

// toolIndexSearch finds nodes by words: a word in the id, label or tags counts
// more than one in the path, and that more than one in the summary.
func (l *Ledger) toolIndexSearch(_ context.Context, p indexSearchParams) (ToolResult, error) {
	x, err := l.loadIndex()
	if err != nil {
		return ToolResult{}, err
	}
	words := strings.Fields(strings.ToLower(p.Query))
	hits := []IndexHit{}
	for _, n := range x.Nodes {
		if score := n.score(words); score > 0 {
			hits = append(hits, IndexHit{IndexNode: n, Score: score})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].Score > hits[j].Score })
	if p.Limit == 0 {
		p.Limit = 10
	}
	hits = hits[:min(len(hits), p.Limit)]
	var text strings.Builder
	fmt.Fprintf(&text, "%d nodes found. Advisory: read the files before relying on it.", len(hits))
	for i := range hits {
		h := &hits[i]
		h.Stale = h.Seen != "" && l.contentOf(h.Path) != h.Seen
		for _, e := range x.Edges {
			if e.From == h.ID || e.To == h.ID {
				h.Edges = append(h.Edges, e)
			}
		}
		fmt.Fprintf(&text, "\n- %s (%s) %s: %s", h.ID, h.Kind, h.Path, clip(orDefault(h.Summary, h.Label), 300))
		if h.Stale {
			text.WriteString(" [the file changed since]")
		}
	}
	return ToolResult{text.String(), map[string]any{"results": hits}}, nil
}

func (n *IndexNode) score(words []string) int {
	name := strings.ToLower(n.ID + " " + n.Label + " " + strings.Join(n.Tags, " "))
	file, summary := strings.ToLower(n.Path), strings.ToLower(n.Summary)
	score := 0
	for _, w := range words {
		switch {
		case strings.Contains(name, w):
			score += 4
		case strings.Contains(file, w):
			score += 2
		case strings.Contains(summary, w) || n.Kind == w:
			score++
		}
	}
	return score
}
