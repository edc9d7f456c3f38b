package bashast

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The bounds of one pathname expansion.
const (
	maxGlobEntries = 4096 // entries of one directory
	maxGlobDirs    = 64   // directories read
	maxGlobMatches = 64   // words that a pattern becomes
)

// glob makes the pathname expansion of a word (bash manual 3.5.8). pat is the
// word as a pattern, cur as a text. Where the files cannot be seen, or may be
// others when the command runs, it is any number of matches of the pattern.
func (e *evaluator) glob(sh *shell, pat, cur Value, span Span) []Word {
	noglob := sh.opts.get(optNoglob)
	if noglob == yes {
		return []Word{{Value: cur, Span: span}}
	}
	p, ok := pat.Text()
	if !ok {
		return []Word{{Value: e.looseGlob(cur), Span: span, Many: true}}
	}
	ext := sh.opts.get(optExtglob)
	first, last := metaRange(p, ext)
	if first < 0 {
		return []Word{{Value: cur, Span: span}}
	}
	if noglob == no && sh.lookup("GLOBIGNORE").set == no && ext != maybe {
		if matches, ok := e.matches(sh, p); ok && len(matches) <= maxGlobMatches {
			if words, ok := e.globbed(sh, matches, cur, span); ok {
				return words
			}
		}
	}
	v := matchOf(p, unescapePattern(p[:first]), unescapePattern(p[last:]))
	if dotted(p) {
		v.more.below = false
	}
	return []Word{{Value: v, Span: span, Many: true}}
}

// looseGlob is what a pattern that is not wholly known may become.
func (e *evaluator) looseGlob(cur Value) Value {
	prefix, suffix := cur.Prefix(), cur.Suffix()
	if i := strings.IndexAny(prefix, "*?[(\\"); i >= 0 {
		prefix = prefix[:i]
	}
	if i := strings.LastIndexAny(suffix, "*?])\\"); i >= 0 {
		suffix = suffix[i+1:]
	}
	why := cur.Why()
	if why == "" {
		why = "a pattern whose matches are not known"
	}
	return Partial(prefix, suffix, why)
}

// dotted reports whether a part of the pattern may match "..", which older
// versions of bash let .* do.
func dotted(p string) bool {
	for _, part := range strings.Split(p, "/") {
		if strings.HasPrefix(part, ".") && hasMeta(part, maybe) {
			return true
		}
	}
	return false
}

// globbed makes words of matches, or says what bash does where there is none.
func (e *evaluator) globbed(sh *shell, matches []string, cur Value, span Span) ([]Word, bool) {
	if len(matches) > 0 {
		words := make([]Word, len(matches))
		for i, m := range matches {
			words[i] = Word{Value: Known(m), Span: span}
		}
		return words, true
	}
	switch {
	case sh.opts.get(optFailglob) != no:
		return nil, false
	case sh.opts.get(optNullglob) == yes:
		return nil, true
	case sh.opts.get(optNullglob) == maybe:
		return nil, false
	}
	return []Word{{Value: cur, Span: span}}, true
}

// globber reads directories for one pattern.
type globber struct {
	env     *Env
	dot     bool
	ext     tri
	fold    tri
	dirs    int
	unknown bool
}

// matches are the files that a pattern matches, in the order of their bytes.
// It reports false where that is not fixed.
func (e *evaluator) matches(sh *shell, p string) ([]string, bool) {
	env := sh.ctx.env
	dir, known := sh.dir.Text()
	if env.Files == nil || env.Project == "" || !known || e.touched {
		return nil, false
	}
	if dotted(p) {
		// Whether . and .. are among the matches depends on the version.
		return nil, false
	}
	for _, o := range []shellOption{optDotglob, optNocaseglob, optGlobstar} {
		if sh.opts.get(o) == maybe {
			return nil, false
		}
	}
	if sh.opts.get(optGlobstar) == yes && strings.Contains(p, "**") {
		return nil, false
	}
	if _, err := env.Files.Stat(env.Dir); err != nil {
		// What is not here to be seen may still be where the line runs.
		return nil, false
	}
	g := globber{env: env, dot: sh.opts.get(optDotglob) == yes, ext: sh.opts.get(optExtglob), fold: sh.opts.get(optNocaseglob)}
	if g.ext == yes && strings.Contains(p, "(") && strings.Contains(p, "/") {
		return nil, false
	}
	at := dir
	rest := p
	shown := ""
	if strings.HasPrefix(p, "/") {
		rest = strings.TrimLeft(p, "/")
		at, shown = "/", p[:len(p)-len(rest)]
	}
	out := g.walk(at, shown, rest)
	if g.unknown {
		return nil, false
	}
	slices.Sort(out)
	return out, true
}

// walk matches the first part of p in the directory at, and the rest below.
func (g *globber) walk(at, shown, p string) []string {
	part, rest, more := strings.Cut(p, "/")
	slashes := "/"
	for more && strings.HasPrefix(rest, "/") {
		rest, slashes = rest[1:], slashes+"/"
	}
	if !hasMeta(part, g.ext) {
		name := unescapePattern(part)
		at = path.Join(at, name)
		if !more {
			return g.exists(at, shown+name)
		}
		return g.walk(at, shown+name+slashes, rest)
	}
	var out []string
	for _, entry := range g.read(at) {
		name := entry.Name()
		m := matcher{pat: part, ext: g.ext, fold: g.fold}
		if strings.HasPrefix(name, ".") && !g.dot && !strings.HasPrefix(part, ".") && !strings.HasPrefix(part, `\.`) {
			continue
		}
		if !ascii(Known(name)) && strings.ContainsAny(part, "?[") {
			g.unknown = true
			return nil
		}
		if !m.match(name) || m.failed {
			g.unknown = g.unknown || m.failed
			continue
		}
		if !more {
			out = append(out, shown+name)
			continue
		}
		below := path.Join(at, name)
		if info, err := g.env.Files.Stat(below); err != nil || !info.IsDir() {
			continue
		}
		if rest == "" {
			out = append(out, shown+name+slashes)
			continue
		}
		out = append(out, g.walk(below, shown+name+slashes, rest)...)
		if g.unknown || len(out) > maxGlobMatches {
			break
		}
	}
	return out
}

func (g *globber) exists(at, shown string) []string {
	if !g.inProject(at) {
		g.unknown = true
		return nil
	}
	_, err := g.env.Files.Lstat(at)
	switch {
	case err == nil:
		return []string{shown}
	case !errors.Is(err, fs.ErrNotExist):
		g.unknown = true
	}
	return nil
}

func (g *globber) read(at string) []fs.DirEntry {
	if g.dirs++; g.dirs > maxGlobDirs || !g.inProject(at) {
		g.unknown = true
		return nil
	}
	entries, err := g.env.Files.ReadDir(at, maxGlobEntries)
	switch {
	case err == nil && len(entries) <= maxGlobEntries:
		return entries
	case err != nil && errors.Is(err, fs.ErrNotExist):
	default:
		g.unknown = true
	}
	return nil
}

func (g *globber) inProject(at string) bool {
	return at == g.env.Project || strings.HasPrefix(at, g.env.Project+"/")
}
