package ledger

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// DiffHunk is one place where a file changed, with three lines around it.
// Lines count from 1.
type DiffHunk struct {
	OldStart int        `json:"oldStart"`
	OldLines int        `json:"oldLines"`
	NewStart int        `json:"newStart"`
	NewLines int        `json:"newLines"`
	Lines    []DiffLine `json:"lines"`
}

// DiffLine is one line of a hunk, without its newline.
type DiffLine struct {
	// Kind is "context", "add" or "delete".
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// The bounds of a diff (D).
const (
	maxDiffBytes = 512 << 10
	maxDiffLines = 4000
	maxDiffCells = 2_000_000
	diffContext  = 3
)

// fileDiff is how two contents of a file differ.
type fileDiff struct {
	hunks                []DiffHunk
	additions, deletions int
	binary, truncated    bool
}

// diff compares two contents by lines. Of very different large files it tells
// only how many lines there are.
func diff(before, after []byte) fileDiff {
	if isBinary(before) || isBinary(after) {
		return fileDiff{binary: true}
	}
	a, b := string(before), string(after)
	prefix, suffix := commonEnds(a, b)
	oldLines, newLines := countLines(a[prefix:len(a)-suffix]), countLines(b[prefix:len(b)-suffix])
	if oldLines*newLines > maxDiffCells {
		return fileDiff{additions: newLines, deletions: oldLines, truncated: true}
	}
	unified, err := udiff.ToUnifiedDiff("", "", a, udiff.Lines(a, b), diffContext)
	if err != nil {
		return fileDiff{additions: newLines, deletions: oldLines, truncated: true}
	}
	var d fileDiff
	lines, size := 0, 0
	for _, h := range unified.Hunks {
		hunk := DiffHunk{OldStart: h.FromLine, NewStart: h.ToLine}
		for _, l := range h.Lines {
			kind := "context"
			switch l.Kind {
			case udiff.Insert:
				kind = "add"
				d.additions++
				hunk.NewLines++
			case udiff.Delete:
				kind = "delete"
				d.deletions++
				hunk.OldLines++
			default:
				hunk.OldLines++
				hunk.NewLines++
			}
			lines++
			if size += len(l.Content); lines > maxDiffLines || size > maxDiffBytes {
				d.truncated = true
				continue
			}
			hunk.Lines = append(hunk.Lines, DiffLine{kind, redacted(strings.TrimSuffix(l.Content, "\n"))})
		}
		if len(hunk.Lines) > 0 {
			d.hunks = append(d.hunks, hunk)
		}
	}
	return d
}

// isBinary reports whether a content is no text: git's own rule, a NUL in the
// first 8000 bytes, or no UTF-8.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 || !utf8.Valid(data)
}

// commonEnds are the bytes of whole lines that two texts have in common at
// their ends.
func commonEnds(a, b string) (prefix, suffix int) {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	prefix = strings.LastIndexByte(a[:i], '\n') + 1
	for suffix < n-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	if at := strings.IndexByte(a[len(a)-suffix:], '\n'); at >= 0 {
		return prefix, suffix - at - 1
	}
	return prefix, 0
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
