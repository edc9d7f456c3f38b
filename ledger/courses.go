package ledger

// The courses a line may take. A state says what has become of the verifier
// and what the status of the last command is; a line is a step from a set of
// states to another.

// The fates of the verifier.
const (
	verNone   uint8 = iota // not run
	verOK                  // every run ended with 0
	verFailed              // every run failed
	verMixed               // some did
)

// The values of a status that is kept in a variable.
const (
	valueZero    uint8 = iota
	valueNonZero       // some other number
	valueUnknown
)

// trackedVars is how many variables a state remembers the value of.
const trackedVars = 4

// state is one course, at one point.
type state struct {
	ver uint8
	// status is 0, or 1 for anything else.
	status uint8
	// first is the status of the first stage of the last pipeline.
	first uint8
	vars  [trackedVars]uint8
}

// states is a set of courses: those that go on, and those that have left the
// shell.
type states struct {
	live, left map[state]struct{}
}

func newStates() states {
	return states{map[state]struct{}{}, map[state]struct{}{}}
}

func (ss states) add(s state) { ss.live[s] = struct{}{} }

// exit ends a course.
func (ss states) exit(s state) { ss.left[s] = struct{}{} }

// join adds the courses of other.
func (ss states) join(other states) {
	for s := range other.live {
		ss.add(s)
	}
	for s := range other.left {
		ss.exit(s)
	}
}

// each maps the courses that go on; those that left are kept.
func (ss states) each(fn func(state, states)) states {
	out := newStates()
	for s := range ss.left {
		out.exit(s)
	}
	for s := range ss.live {
		fn(s, out)
	}
	return out
}

// ended lets every course go on from where it left: the end of a subshell.
func (ss states) ended() states {
	out := newStates()
	for s := range ss.live {
		out.add(s)
	}
	for s := range ss.left {
		out.add(s)
	}
	return out
}

// split divides the courses that go on by their status.
func (ss states) split() (zero, other states) {
	zero, other = newStates(), newStates()
	for s := range ss.live {
		if s.status == 0 {
			zero.add(s)
		} else {
			other.add(s)
		}
	}
	return zero, other
}

// all reports whether at least one course ends with the status, and good holds
// for each that does.
func (ss states) all(status uint8, good func(state) bool) bool {
	n := 0
	for s := range ss.ended().live {
		if s.status != status {
			continue
		}
		if !good(s) {
			return false
		}
		n++
	}
	return n > 0
}

// ran is the course after one more run of the verifier.
func (s state) ran(ok bool) state {
	fate := verFailed
	s.status = 1
	if ok {
		fate, s.status = verOK, 0
	}
	if s.ver == verNone {
		s.ver = fate
	} else if s.ver != fate {
		s.ver = verMixed
	}
	s.first = s.status
	return s
}

// failedOnce reports whether a run of the verifier failed.
func (s state) failedOnce() bool { return s.ver == verFailed || s.ver == verMixed }

// with is the course with another status.
func (s state) with(status uint8) state {
	s.status, s.first = status, status
	return s
}

// inShell is the course s after a subshell that ended as sub: what became of
// the verifier and the status last, variables do not.
func (s state) inShell(sub state) state {
	s.ver, s.status, s.first = sub.ver, sub.status, sub.status
	return s
}
