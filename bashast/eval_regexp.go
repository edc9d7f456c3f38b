package bashast

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxRegexp bounds the patterns and texts that are matched.
const maxRegexp = 1024

// matchRegexp is =~ of [[ (bash manual 3.2.5.2): it sets BASH_REMATCH.
func (e *evaluator) matchRegexp(sh *shell, v Value, right *syntax.Word) tri {
	pat, ok := e.regexpText(sh, right)
	text, known := v.Text()
	unknown := &variable{set: yes, attrs: attrIndexed, elems: &elements{open: true}}
	sh.put("BASH_REMATCH", unknown)
	if !ok || !known || len(pat) > maxRegexp || len(text) > maxRegexp || sh.opts.get(optNocasematch) != no ||
		!ascii(v) || !ascii(Known(pat)) || !sameInPOSIX(pat) {
		return maybe
	}
	re, err := regexp.CompilePOSIX(pat)
	if err != nil {
		return maybe
	}
	m := re.FindStringSubmatchIndex(text)
	elems := &elements{}
	for i := 0; i+1 < len(m); i += 2 {
		group := ""
		if m[i] >= 0 {
			group = text[m[i]:m[i+1]]
		}
		elems = elems.with(itoa(i/2), Known(group), true)
	}
	sh.put("BASH_REMATCH", &variable{set: yes, attrs: attrIndexed, elems: elems})
	return triOf(m != nil)
}

// regexpText is the pattern of =~, in which what was quoted stands for itself.
func (e *evaluator) regexpText(sh *shell, w *syntax.Word) (string, bool) {
	v := Known("")
	for _, p := range e.pieces(sh, w.Parts, nil) {
		if p.kind == pieceQuoted {
			v = Concat(v, p.v.mapText("", regexp.QuoteMeta))
			continue
		}
		v = Concat(v, p.v)
	}
	return v.Text()
}

// sameInPOSIX reports whether Go reads a pattern as regcomp does: without the
// escapes and groups that only one of them has.
func sameInPOSIX(pat string) bool {
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			if i+1 == len(pat) || !strings.ContainsRune(`.*+?()[]{}|^$\/`, rune(pat[i+1])) {
				return false
			}
			i++
		case '[':
			end := strings.IndexByte(pat[i+1:], ']')
			if end <= 0 || strings.ContainsAny(pat[i+1:i+1+end], `\[`) {
				return false
			}
			i += end + 1
		case '{':
			return false
		case '(':
			if strings.HasPrefix(pat[i:], "(?") {
				return false
			}
		}
	}
	return true
}
