package bashast

// lexer reads a line the way bash 5.2's own tokenizer does (parse.y): quoting,
// continuation lines, comments, here-documents, expansions and the places where
// reserved words count. It decides no grammar. What it finds goes three ways:
//
//   - out is the line with everything lexical taken away: each word is an x
//     followed by its substitutions as $( ), redirects, prefixes and quoting
//     are gone. This is what tree-sitter gets, whose grammar is good and whose
//     own tokenizer is not (the first twenty kinds of blind spots);
//   - landmarks are the places it knows by itself: redirects, prefixes, arrays;
//   - patches are bytes to be changed, one for one, before mvdan.cc/sh reads
//     the line, where that tokenizer is known to differ from bash.
//
// So each of the two parsers reads the line by a tokenizer of its own.
type lexer struct {
	text string // what is read: the line, or a backquoted part without its escapes
	i    int    // the next byte of text
	end  int    // one past the last byte of text that belongs to the part read
	src  []int32
	size int // of the line

	out       []byte
	marks     []mark
	landmarks []landmark
	patches   []patch
	bold      bool // patch what mvdan.cc/sh reads well but in some places
	grafts    []graft
	simple    []simpleCommand
	pending   []heredoc // read at the next newline
	bodies    []passage // here-document bodies with expansions, read at the end
	notArith  map[int32]bool

	problems []Problem
	failed   bool // no more is read
	over     bool // because of a bound
	extglob  bool // the line may have switched extended patterns on
	depth    int
	retries  int
	undone   int // open double parentheses that turned out to be none
	commands int
	scratch  []byte
}

// mark says where something of out stands in the line; pos is -1 for what the
// lexer made up. as, where set, is the landmark that tree-sitter's node stands
// for, whatever its own kind.
type mark struct {
	out, pos int32
	class    markClass
	as       landmarkKind
}

// markClass says for which nodes a mark holds; several marks may stand at one
// place of out.
type markClass uint8

const (
	classWord markClass = iota
	classSubst
	classToken
)

// simpleCommand is the text of one simple command and where it stands; call is
// that from its name on where something stands before the name.
type simpleCommand struct {
	text string
	pos  int32
	call string
	name int32
}

// passage is a range of a text that is read later.
type passage struct {
	text       string
	src        []int32
	start, end int
}

// Classes of bytes in the unquoted text of a command.
const (
	byteWord = iota
	byteBlank
	byteNewline
	byteMeta   // ; & | ( )
	byteArrow  // < >
	byteQuote  // ' " ` $ \
	byteAssign // = [ and what may open an extended pattern
)

var byteClass = [256]uint8{
	' ': byteBlank, '\t': byteBlank, '\n': byteNewline,
	';': byteMeta, '&': byteMeta, '|': byteMeta, '(': byteMeta, ')': byteMeta,
	'<': byteArrow, '>': byteArrow,
	'\'': byteQuote, '"': byteQuote, '`': byteQuote, '$': byteQuote, '\\': byteQuote,
	'=': byteAssign, '[': byteAssign, '\r': byteAssign,
	'#': byteAssign,
}

// at is the place in the line of byte i of the text that is read.
func (l *lexer) at(i int) int32 {
	if l.src == nil {
		return int32(i)
	}
	if i >= len(l.src) {
		if len(l.src) == 0 {
			return 0
		}
		return l.src[len(l.src)-1] + 1
	}
	return l.src[i]
}

// fail ends the reading: nothing after i is read.
func (l *lexer) fail(code ProblemCode, i int, reason string) {
	if !l.failed {
		l.problem(code, i, i+1, reason)
	}
	l.failed = true
	l.over = l.over || code == ProblemBound
	l.i = l.end
}

// problem notes that a part is not known, and reads on.
func (l *lexer) problem(code ProblemCode, start, end int, reason string) {
	if len(l.problems) < 8 {
		span := Span{min(int(l.at(start)), l.size), min(int(l.at(end)), l.size)}
		l.problems = append(l.problems, Problem{code, reason, span})
	}
}

// enter counts a level of nesting; every enter has its leave.
func (l *lexer) enter() bool {
	l.depth++
	if l.depth > maxNesting {
		l.fail(ProblemBound, l.i, "nested too deeply")
	}
	return !l.failed
}

func (l *lexer) leave() { l.depth-- }

// joinLines passes continuation lines, which bash takes out before it looks.
func (l *lexer) joinLines() {
	for l.i+1 < l.end && l.text[l.i] == '\\' && l.text[l.i+1] == '\n' {
		l.i += 2
	}
}

// next is the place of the byte after byte i, continuation lines passed.
func (l *lexer) next(i int) int {
	for i++; i+1 < l.end && l.text[i] == '\\' && l.text[i+1] == '\n'; i += 2 {
	}
	return i
}

// peek is the byte at i, 0 past the end.
func (l *lexer) peek(i int) byte {
	if i < l.end {
		return l.text[i]
	}
	return 0
}

// blanks passes blanks, continuation lines and a comment. Continuation lines
// between words and the ends of comments are patched, since the second reading
// takes a backslash there for more than bash does.
func (l *lexer) blanks() {
	for l.i < l.end {
		switch c := l.text[l.i]; {
		case c == ' ' || c == '\t':
			l.i++
		case c == '\\' && l.peek(l.i+1) == '\n' && l.i+1 < l.end:
			l.patch(l.i, " ")
			l.patch(l.i+1, " ")
			l.i += 2
		case c == '#':
			l.comment()
			return
		default:
			return
		}
	}
}

// comment passes a comment up to its newline.
func (l *lexer) comment() {
	start := l.i
	for l.i < l.end && l.text[l.i] != '\n' {
		l.i++
	}
	for i := l.i - 1; i > start && (l.text[i] == '\\' || l.text[i] == '\r'); i-- {
		l.patch(i, " ")
	}
}

// land notes a landmark that no parser has to find.
func (l *lexer) land(i int, kind landmarkKind) {
	l.count(i)
	l.landmarks = append(l.landmarks, landmark{l.at(i), kind})
}

// count counts what stands at byte i against the bound on all there may be.
func (l *lexer) count(i int) {
	switch {
	case len(l.marks)+len(l.landmarks) > maxLandmarks:
		l.fail(ProblemBound, i, "too many words")
	case len(l.out) > maxSkeleton:
		l.fail(ProblemBound, i, "too many commands")
	}
}

// emit writes a token for tree-sitter that stands for byte i of the text, or
// for nothing when i is -1.
func (l *lexer) emit(token string, i int, class markClass, as landmarkKind) {
	l.out = append(l.out, ' ')
	pos := int32(-1)
	if i >= 0 {
		l.count(i)
		pos = l.at(i)
	}
	l.marks = append(l.marks, mark{int32(len(l.out)), pos, class, as})
	l.out = append(l.out, token...)
}
