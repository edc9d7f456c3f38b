package bashast

import "strings"

// heredoc is a here-document whose text comes at the next newline.
type heredoc struct {
	at        int
	delimiter string
	quoted    bool // no expansion in it
	dash      bool // leading tabs do not count
}

// heredocWord reads the delimiter of a here-document. Nothing is expanded in
// it, not even $x.
func (l *lexer) heredocWord(dash bool) {
	l.blanks()
	start := l.i
	l.land(start, markTarget)
	var d delimiter
	for l.i < l.end && !l.failed {
		if c := byteClass[l.text[l.i]]; c != byteWord && c != byteQuote && c != byteAssign {
			break
		}
		l.delimiterPart(&d)
	}
	switch {
	case l.i == start:
		l.fail(ProblemSyntax, start, "a here-document without a delimiter")
		return
	case d.expanded:
		l.problem(ProblemReadings, start, l.i, "a here-document delimiter made of substitutions")
	case l.undone > 0:
		l.problem(ProblemReadings, start, l.i, "bash takes a here-document within such parentheses from after them")
	}
	h := heredoc{start, d.text.String(), d.quoted, dash}
	l.plainDelimiter(h, d.parts)
	l.pending = append(l.pending, h)
}

// delimiter is the delimiter of a here-document as far as it is read.
type delimiter struct {
	text     strings.Builder
	quoted   bool
	expanded bool // it holds a substitution: what bash does then is odd
	parts    int  // runs of unquoted or quoted text
}

// delimiterPart reads the next part of a delimiter.
func (l *lexer) delimiterPart(d *delimiter) {
	d.parts++
	start := l.i
	switch c := l.text[l.i]; c {
	case '\\':
		if l.peek(l.i+1) != '\n' && l.i+1 < l.end {
			d.quoted = true
			d.text.WriteByte(l.text[l.i+1])
		}
		l.i = min(l.i+2, l.end)
	case '\'', '"':
		n := strings.IndexByte(l.text[start+1:l.end], c)
		if n < 0 {
			l.fail(ProblemSyntax, start, "a quote is not closed")
			return
		}
		text := l.text[start+1 : start+1+n]
		d.quoted = true
		d.expanded = d.expanded || c == '"' && (strings.ContainsAny(text, "\\`") || strings.Contains(text, "$("))
		d.text.WriteString(text)
		l.i += n + 2
	case '`':
		d.expanded = true
		l.passQuoting()
		d.text.WriteString(l.text[start:l.i])
	case '$':
		switch l.peek(l.i + 1) {
		case '(', '[', '\'', '"':
			d.expanded = true
			l.passQuoting()
		default:
			l.i++
		}
		d.text.WriteString(l.text[start:l.i])
	default:
		for l.i < l.end && (byteClass[l.text[l.i]] == byteWord || byteClass[l.text[l.i]] == byteAssign) {
			l.i++
		}
		d.text.WriteString(l.text[start:l.i])
	}
}

// passQuoting passes a quoted part or an expansion without writing anything.
func (l *lexer) passQuoting() {
	saved := l.save()
	l.quoting(false)
	saved.i = l.i
	l.restoreTo(saved)
}

// plainDelimiter patches a delimiter that mvdan.cc/sh would not take as bash
// does: it knows no dollar in one, and takes its last part alone to decide
// whether it is quoted.
func (l *lexer) plainDelimiter(h heredoc, parts int) {
	if !h.quoted {
		l.patchDollars(h.at, l.i)
		l.patchCR(h.at, l.i)
		return
	}
	if parts == 1 && !strings.ContainsAny(h.delimiter, "$\r") || strings.Contains(h.delimiter, "'") {
		return
	}
	l.patch(h.at, "'"+strings.ReplaceAll(h.delimiter, "\r", insteadOfCR)+"'")
	for i := h.at + 1; i < l.i; i++ {
		l.patch(i, "")
	}
}

// patchDollars hides the dollars of an unquoted delimiter.
func (l *lexer) patchDollars(start, end int) {
	for i := start; i < end; i++ {
		if l.text[i] == '$' {
			l.patch(i, insteadOfDollar)
		}
	}
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
			l.endAtEnd(h)
		} else if !h.quoted {
			l.patchDollars(end, l.i)
		}
		l.patchCR(start, l.i)
		if !h.quoted && strings.ContainsAny(l.text[start:end], "$`") {
			l.bodies = append(l.bodies, passage{l.text, l.src, start, end})
		}
	}
}

// endAtEnd lets a here-document end where the line does, as bash does with a
// warning.
func (l *lexer) endAtEnd(h heredoc) {
	if !l.bold || l.src != nil || l.end != l.size || l.depth > 1 {
		l.problem(ProblemSyntax, h.at, h.at+len(h.delimiter), "a here-document that its delimiter does not end")
		return
	}
	newline := ""
	if l.text[l.end-1] != '\n' {
		newline = "\n"
	}
	h.delimiter = strings.ReplaceAll(h.delimiter, "\r", insteadOfCR)
	if !h.quoted {
		h.delimiter = strings.ReplaceAll(h.delimiter, "$", insteadOfDollar)
	}
	l.insert(l.end, newline+h.delimiter+"\n")
}

// heredocEnd passes a here-document's text and its last line, and returns
// where the text ends.
func (l *lexer) heredocEnd(h heredoc) (end int, found bool) {
	for l.i < l.end {
		line := l.i
		text, after := l.heredocLine(h)
		l.i = after
		if text == h.delimiter {
			l.joined(line, after)
			return line, true
		}
	}
	return l.end, false
}

// heredocLine is the line at i as bash compares it with the delimiter, and
// where the next one begins. Lines that a backslash joins are one, if the
// delimiter is not quoted.
func (l *lexer) heredocLine(h heredoc) (string, int) {
	start := l.i
	end := l.lineEnd(start)
	text := l.text[start:end]
	if !h.quoted && end < l.end && endsInBackslash(text) {
		joined := ""
		for ; endsInBackslash(text) && end < l.end; text = l.text[start:end] {
			if joined += text[:len(text)-1]; len(joined) > 2*len(h.delimiter)+64 {
				joined = joined[:2*len(h.delimiter)+64] // too long to be it
			}
			start = end + 1
			end = l.lineEnd(start)
		}
		text = joined + text
	}
	if h.dash {
		text = strings.TrimLeft(text, "\t")
	}
	return text, min(end+1, l.end)
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
