package profiles

import "bytes"

// readablePart is the part of a broken JSONC text that stands before the
// mistake at line and column, closed so that it is whole: what is half written
// is cut off at the last complete member, and open brackets are closed.
func readablePart(data []byte, line, column int) []byte {
	end := offsetOf(data, line, column)
	s := scanner{}
	for i := 0; i < end; {
		i = s.step(data, i, end)
	}
	out := bytes.Clone(data[:s.complete])
	for i := s.completeDepth - 1; i >= 0; i-- {
		out = append(out, s.stack[i])
	}
	return out
}

// offsetOf is the offset of a line and column, both from 1.
func offsetOf(data []byte, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(data[offset:], '\n')
		if i < 0 {
			return len(data)
		}
		offset += i + 1
	}
	return min(offset+column-1, len(data))
}

// scanner finds the last place of a JSONC text where a member was complete.
type scanner struct {
	stack []byte // the closing brackets that are due
	// complete is the offset behind the last complete member, completeDepth
	// the number of brackets open there.
	complete, completeDepth int
}

// step reads one token at i and returns where the next begins.
func (s *scanner) step(data []byte, i, end int) int {
	switch data[i] {
	case '"':
		for i++; i < end && data[i] != '"'; i++ {
			if data[i] == '\\' {
				i++
			}
		}
		return i + 1
	case '/':
		return s.comment(data, i, end)
	case '{':
		s.open('}', i+1)
	case '[':
		s.open(']', i+1)
	case '}', ']':
		if len(s.stack) > 0 {
			s.stack = s.stack[:len(s.stack)-1]
		}
		s.mark(i + 1)
	case ',':
		s.mark(i)
	}
	return i + 1
}

func (s *scanner) open(closing byte, behind int) {
	s.stack = append(s.stack, closing)
	s.mark(behind)
}

func (s *scanner) mark(offset int) { s.complete, s.completeDepth = offset, len(s.stack) }

func (s *scanner) comment(data []byte, i, end int) int {
	closing := "\n"
	if i+1 < end && data[i+1] == '*' {
		closing = "*/"
	}
	n := bytes.Index(data[i:end], []byte(closing))
	if n < 0 {
		return end
	}
	return i + n + len(closing)
}
