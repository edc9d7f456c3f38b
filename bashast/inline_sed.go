package bashast

import "strings"

// scanSed reads a program of sed (GNU sed manual, "sed scripts"): its e
// command and flag run commands, w, W and the w flag write, r and R read.
func scanSed(text string) []finding {
	s := sedScanner{text: text}
	for s.i < len(text) && !s.broken {
		s.command()
	}
	if s.broken {
		s.out = append(s.out, opaque("a program of sed that is not understood"))
	}
	return s.out
}

type sedScanner struct {
	text   string
	i      int
	out    []finding
	broken bool
}

func (s *sedScanner) peek() byte {
	if s.i < len(s.text) {
		return s.text[s.i]
	}
	return 0
}

func (s *sedScanner) skip(set string) {
	for s.i < len(s.text) && strings.IndexByte(set, s.text[s.i]) >= 0 {
		s.i++
	}
}

// line is the rest of the line.
func (s *sedScanner) line() string {
	end := strings.IndexByte(s.text[s.i:], '\n')
	if end < 0 {
		end = len(s.text) - s.i
	}
	rest := s.text[s.i : s.i+end]
	s.i += end
	return strings.TrimSpace(rest)
}

// command reads one command with its addresses.
func (s *sedScanner) command() {
	s.skip(" \t\n;")
	s.address()
	s.skip(" \t!")
	if s.i >= len(s.text) {
		return
	}
	c := s.text[s.i]
	s.i++
	switch c {
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
	case 'l', 'q', 'Q', 'L':
		s.skip(" 0123456789")
	case 'a', 'i', 'c':
		s.textCommand()
	case ':', 'b', 't', 'T', 'v':
		s.label()
	case '#':
		s.line()
	case 'r', 'R':
		s.file(Read)
	case 'w', 'W':
		s.file(Write)
	case 'e':
		s.execute()
	case 's':
		s.substitute()
	case 'y':
		delimiter := s.peek()
		s.i++
		s.until(delimiter)
		s.until(delimiter)
	default:
		s.broken = true
	}
}

// address reads one or two addresses.
func (s *sedScanner) address() {
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == '/':
			s.i++
			s.until('/')
			s.skip("IM")
		case c == '\\' && s.i+1 < len(s.text):
			delimiter := s.text[s.i+1]
			s.i += 2
			s.until(delimiter)
			s.skip("IM")
		case c >= '0' && c <= '9' || strings.IndexByte("$,~+ \t", c) >= 0:
			s.i++
		default:
			return
		}
	}
}

// until reads past the next delimiter that is not escaped.
func (s *sedScanner) until(delimiter byte) string {
	start := min(s.i, len(s.text))
	for s.i < len(s.text) {
		switch s.text[s.i] {
		case '\\':
			s.i++
		case delimiter:
			s.i++
			return s.text[start : s.i-1]
		}
		s.i++
	}
	s.i = len(s.text)
	s.broken = true
	return s.text[start:]
}

// textCommand reads the text of a, i and c: the rest of the line, and further
// lines while they end in a backslash.
func (s *sedScanner) textCommand() {
	for s.i < len(s.text) {
		line := s.line()
		if !strings.HasSuffix(line, `\`) {
			return
		}
		s.i++
	}
}

func (s *sedScanner) label() {
	for s.i < len(s.text) && s.text[s.i] != '\n' && s.text[s.i] != ';' && s.text[s.i] != '}' {
		s.i++
	}
}

func (s *sedScanner) file(kind EffectKind) {
	if name := s.line(); name != "" {
		s.out = append(s.out, pathFinding(kind, name))
	}
}

// execute is e: the command on the rest of the line, or the pattern space.
func (s *sedScanner) execute() {
	command := s.line()
	if command == "" || command == "}" {
		s.out = append(s.out, opaque("sed runs lines of its input as commands"))
		return
	}
	s.out = append(s.out, shellFinding(Known(command)))
}

func (s *sedScanner) substitute() {
	delimiter := s.peek()
	if delimiter == 0 || delimiter == '\n' || delimiter == '\\' {
		s.broken = true
		return
	}
	s.i++
	s.until(delimiter)
	s.until(delimiter)
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == 'e':
			s.out = append(s.out, opaque("sed runs what it replaces as a command"))
			s.i++
		case c == 'w':
			s.i++
			s.file(Write)
			return
		case strings.IndexByte("gpiImM0123456789", c) >= 0:
			s.i++
		default:
			s.skip(" \t")
			if strings.IndexByte("\n;}#\x00", s.peek()) < 0 {
				s.broken = true
			}
			return
		}
	}
}
