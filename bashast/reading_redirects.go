package bashast

import "strings"

// heredoc is a here-document whose text comes at the next newline.
type heredoc struct {
	at        int
	delimiter string
	quoted    bool // no expansion in it
	dash      bool // leading tabs do not count
}

// redirect reads a redirect whose descriptor, if any, starts at start and
// whose operator is at i.
func (l *lexer) redirect(s *list, start int) {
	s.begin(start)
	kind := l.redirectOperator()
	if kind == redirHeredoc || kind == redirDashdoc {
		l.heredocWord(kind == redirDashdoc)
	} else {
		l.target(s, kind)
	}
	s.stop = l.i
	s.canBeName = false
	if l.bold && s.declares && !s.hidden {
		// mvdan.cc/sh ends a declaration at a redirect.
		l.insert(s.nameAt, insteadOfWord)
		s.hidden = true
	}
	if s.last != tokClose {
		s.open, s.wantBody = true, true
		s.advance(tokWord)
	}
}

// redirectOperator passes the operator at i.
func (l *lexer) redirectOperator() landmarkKind {
	start := l.i
	second := l.next(start)
	third := l.next(second)
	kind, end := redirOut, start+1
	switch c, d, e := l.text[start], l.peek(second), l.peek(third); {
	case c == '&' && e == '>':
		kind, end = redirBothApp, third+1
	case c == '&':
		kind, end = redirBoth, second+1
	case c == '>' && d == '>':
		kind, end = redirAppend, second+1
	case c == '>' && d == '|':
		kind, end = redirClobber, second+1
	case c == '>' && d == '&':
		kind, end = redirDupOut, second+1
	case c == '>':
	case d == '<' && e == '<':
		kind, end = redirString, third+1
	case d == '<' && e == '-':
		kind, end = redirDashdoc, third+1
	case d == '<':
		kind, end = redirHeredoc, second+1
	case d == '>':
		kind, end = redirInOut, second+1
	case d == '&':
		kind, end = redirDupIn, second+1
	default:
		kind = redirIn
	}
	l.land(start, markRedirect+kind)
	l.joined(start, end)
	l.i = end
	return kind
}

// target reads the word of a redirect. tree-sitter sees it only for the
// substitutions in it: as an assignment before a command's name, as an argument
// after it, as a redirect after a compound command.
func (l *lexer) target(s *list, kind landmarkKind) {
	l.blanks()
	if l.i >= l.end || byteClass[l.text[l.i]] == byteNewline || byteClass[l.text[l.i]] == byteMeta ||
		byteClass[l.text[l.i]] == byteArrow && l.peek(l.next(l.i)) != '(' {
		l.fail(ProblemSyntax, l.i, "a redirect without a target")
		return
	}
	l.land(l.i, markTarget)
	if (kind == redirDupIn || kind == redirDupOut) && l.text[l.i] == '-' {
		l.i++
		return
	}
	out, marks := len(l.out), len(l.marks)
	if s.last == tokClose {
		l.out = append(l.out, " >"...)
	}
	l.emit("", -1, classWord, 0)
	if s.last != tokClose && !s.named {
		l.out = append(l.out, "v="...)
	}
	first := len(l.marks)
	l.word(l.i, wordPlain)
	if len(l.marks) == first {
		l.out, l.marks = l.out[:out], l.marks[:marks]
		return
	}
	if s.last != tokClose {
		s.needSep, s.any = true, true
	}
}

// heredocWord reads the delimiter of a here-document.
func (l *lexer) heredocWord(dash bool) {
	l.blanks()
	start := l.i
	l.land(start, markTarget)
	var delimiter strings.Builder
	quoted := false
	for l.i < l.end {
		c := l.text[l.i]
		switch {
		case c == '\\' && l.peek(l.i+1) == '\n':
			l.i += 2
			continue
		case c == '\\' && l.i+1 < l.end:
			quoted = true
			l.i++
			delimiter.WriteByte(l.text[l.i])
		case c == '\'' || c == '"':
			quoted = true
			n := strings.IndexByte(l.text[l.i+1:l.end], c)
			if n < 0 {
				l.fail(ProblemSyntax, l.i, "a quote is not closed")
				return
			}
			text := l.text[l.i+1 : l.i+1+n]
			if c == '"' && strings.ContainsAny(text, "\\$`") {
				l.problem(ProblemReadings, start, l.i+n, "a here-document delimiter made of expansions")
			}
			delimiter.WriteString(text)
			l.i += n + 1
			if l.quotedCR() {
				delimiter.WriteByte('\r')
			}
		case c == '$' || c == '`':
			l.problem(ProblemReadings, start, l.i+1, "a here-document delimiter made of expansions")
			at, saved := l.i, l.save()
			l.quoting(false)
			saved.i = l.i
			l.restoreTo(saved)
			delimiter.WriteString(l.text[at:l.i])
			continue
		case byteClass[c] == byteBlank || byteClass[c] == byteNewline || byteClass[c] == byteMeta || byteClass[c] == byteArrow:
			l.pend(start, delimiter.String(), quoted, dash)
			return
		default:
			if c == '\r' {
				l.patch(l.i, insteadOfCR)
			}
			delimiter.WriteByte(c)
		}
		l.i++
	}
	l.pend(start, delimiter.String(), quoted, dash)
}

// quotedCR takes a CR behind the quote at i into the quotes: mvdan.cc/sh lets
// the last part of a delimiter alone decide whether it is quoted.
func (l *lexer) quotedCR() bool {
	if next := l.i + 1; l.peek(next) == '\r' && l.endsWord(next+1) {
		l.i = next
		l.patch(next-1, insteadOfCR)
		l.patch(next, l.text[next-1:next])
		return true
	}
	return false
}

func (l *lexer) pend(start int, delimiter string, quoted, dash bool) {
	if l.i == start {
		l.fail(ProblemSyntax, start, "a here-document without a delimiter")
		return
	}
	if l.undone > 0 {
		l.problem(ProblemReadings, start, l.i, "bash takes a here-document within such parentheses from after them")
	}
	l.pending = append(l.pending, heredoc{start, delimiter, quoted, dash})
}

// heredocBodies passes the texts of the here-documents that a newline makes
// due. What bash expands in them is read at the end, as statements of its own.
func (l *lexer) heredocBodies() {
	due := l.pending
	l.pending = l.pending[:0]
	for _, h := range due {
		start := l.i
		end, found := l.heredocEnd(h)
		if !found {
			l.problem(ProblemSyntax, h.at, h.at+len(h.delimiter), "a here-document that its delimiter does not end")
		}
		l.patchCR(start, l.i)
		if !h.quoted && strings.ContainsAny(l.text[start:end], "$`") {
			l.bodies = append(l.bodies, passage{l.text, l.src, start, end})
		}
	}
}

// heredocEnd passes a here-document's text and its last line, and returns
// where the text ends.
func (l *lexer) heredocEnd(h heredoc) (end int, found bool) {
	for l.i < l.end {
		line := l.i
		text, after := l.heredocLine(h)
		if text == h.delimiter {
			l.i = after
			return line, true
		}
		l.i = after
	}
	return l.end, false
}

// heredocLine is the line at i as bash compares it with the delimiter, and
// where the next one begins.
func (l *lexer) heredocLine(h heredoc) (string, int) {
	start := l.i
	if h.dash {
		for start < l.end && l.text[start] == '\t' {
			start++
		}
	}
	end := l.lineEnd(start)
	if h.quoted {
		return l.text[start:end], min(end+1, l.end)
	}
	if !endsInBackslash(l.text[start:end]) || end >= l.end {
		return l.text[start:end], min(end+1, l.end)
	}
	// Lines joined by a backslash are one line, if the delimiter is plain.
	joined := ""
	for endsInBackslash(l.text[start:end]) && end < l.end {
		joined += l.text[start : end-1]
		start = end + 1
		end = l.lineEnd(start)
		if len(joined) > len(h.delimiter) {
			joined = joined[:len(h.delimiter)+1]
		}
	}
	return joined + l.text[start:end], min(end+1, l.end)
}

func (l *lexer) lineEnd(i int) int {
	if n := strings.IndexByte(l.text[i:l.end], '\n'); n >= 0 {
		return i + n
	}
	return l.end
}

// endsInBackslash reports whether s ends in a backslash that is not itself
// quoted by one.
func endsInBackslash(s string) bool {
	n := 0
	for n < len(s) && s[len(s)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// readBodies reads the expansions of here-documents, after everything else:
// they may hold here-documents again.
func (l *lexer) readBodies() {
	for n := 0; n < len(l.bodies) && !l.failed; n++ {
		b := l.bodies[n]
		if last := l.out[len(l.out)-1]; last != ';' && last != '&' {
			l.out = append(l.out, " ;"...)
		}
		l.emit("x", -1, classWord, 0)
		l.readPassage(b, func() { l.quoted(0) })
	}
}
