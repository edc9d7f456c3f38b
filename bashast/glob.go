package bashast

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"
)

// The bounds of resolving one glob.
const (
	maxGlobEntries = 4096
	maxGlobDirs    = 64
)

// glob resolves a pattern against the project, or keeps it as what it is a
// match of (bash manual 3.5.8, B13).
func (e *evaluator) glob(sh *shell, out []Word, w Word, pat string) []Word {
	if !w.Resolved() || sh.opts.on&(optExtglob|optGlobstar|optNocaseglob) != 0 || sh.opts.unknown != 0 {
		return append(out, globWord(w, pat))
	}
	matches, ok := e.matchFiles(sh, pat)
	if !ok {
		return append(out, globWord(w, pat))
	}
	if len(matches) == 0 {
		switch {
		case sh.opts.get(optNullglob) == yes:
			return out
		case sh.opts.get(optFailglob) == yes:
			return append(out, globWord(w, pat))
		}
		return append(out, w)
	}
	for _, m := range matches {
		out = append(out, Word{Value: Known(m), Span: w.Span, Quoted: true})
	}
	return out
}

// globWord is the word for a pattern whose matches are not known.
func globWord(w Word, pat string) Word {
	if len(pat) == 0 || !w.Resolved() {
		w.Many = true
		w.Value = Unknown("whatever matches a pattern")
		return w
	}
	first := firstMeta(pat)
	last := strings.LastIndexAny(pat, "*?]")
	w.Value = matchOf(pat, unquotePattern(pat[:first]), unquotePattern(pat[last+1:]))
	w.Many = true
	return w
}

func firstMeta(pat string) int {
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			i++
		case '*', '?':
			return i
		case '[':
			if strings.IndexByte(pat[i+1:], ']') > 0 {
				return i
			}
		}
	}
	return len(pat)
}

func unquotePattern(pat string) string {
	if strings.IndexByte(pat, '\\') < 0 {
		return pat
	}
	var b strings.Builder
	for i := 0; i < len(pat); i++ {
		if pat[i] == '\\' && i+1 < len(pat) {
			i++
		}
		b.WriteByte(pat[i])
	}
	return b.String()
}

// matchFiles lists the files that a pattern matches, when it lies in the
// project, nothing ran before that may have changed them, and they are few.
func (e *evaluator) matchFiles(sh *shell, pat string) ([]string, bool) {
	env := sh.ctx.env
	dir, known := sh.dir.Text()
	if env.Files == nil || env.Project == "" || !known || e.touched {
		return nil, false
	}
	base, rest := dir, pat
	if strings.HasPrefix(pat, "/") {
		base, rest = "/", pat[1:]
	}
	found := []string{""}
	for segment := range strings.SplitSeq(rest, "/") {
		var ok bool
		found, ok = e.matchSegment(env, base, found, segment)
		if !ok || len(found) > maxFields {
			return nil, false
		}
	}
	if base == "/" {
		for i := range found {
			found[i] = "/" + found[i]
		}
	}
	return found, true
}

// matchSegment extends each path in found by what segment matches below it.
func (e *evaluator) matchSegment(env *Env, base string, found []string, segment string) ([]string, bool) {
	if len(found) > maxGlobDirs {
		return nil, false
	}
	var next []string
	for _, f := range found {
		prefix := f
		if f != "" {
			prefix += "/"
		}
		if firstMeta(segment) == len(segment) {
			name := prefix + unquotePattern(segment)
			if _, err := env.Files.Lstat(path.Join(base, name)); err == nil {
				next = append(next, name)
			}
			continue
		}
		names, ok := matchNames(env, path.Join(base, f), segment)
		if !ok {
			return nil, false
		}
		for _, n := range names {
			next = append(next, prefix+n)
		}
	}
	return next, true
}

func matchNames(env *Env, dir, segment string) ([]string, bool) {
	if dir != env.Project && !strings.HasPrefix(dir, strings.TrimSuffix(env.Project, "/")+"/") {
		return nil, false
	}
	if real, err := env.Files.EvalSymlinks(dir); err != nil || real != dir {
		return nil, false
	}
	entries, err := env.Files.ReadDir(dir, maxGlobEntries)
	if err != nil || len(entries) > maxGlobEntries {
		return nil, false
	}
	match, ok := compileMatch(segment)
	if !ok {
		return nil, false
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(segment, ".") {
			continue
		}
		if match(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, true
}

// compileMatch compiles a shell pattern for whole texts.
func compileMatch(pat string) (func(string) bool, bool) {
	if firstMeta(pat) == len(pat) {
		want := unquotePattern(pat)
		return func(s string) bool { return s == want }, true
	}
	if len(pat) > 512 || strings.ContainsAny(pat, "(|") {
		return nil, false
	}
	expr, err := pattern.Regexp(pat, pattern.EntireString)
	if err != nil {
		return nil, false
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, false
	}
	return re.MatchString, true
}
