package bashast

import "slices"

// landmark is one place of the line that decides what is run: where a word or
// an assignment starts, a redirect or an operator stands, a substitution or a
// compound command opens. Two readings agree when their landmarks are the same.
type landmark struct {
	pos  int32 // byte of the line
	kind landmarkKind
}

// landmarkKind says what stands at a landmark.
type landmarkKind uint8

// The kinds of landmarks.
const (
	noLandmark  landmarkKind = iota
	markName                 // the first word of a simple command
	markWord                 // another word: argument, loop item, pattern
	markAssign               // an assignment in front of a command
	markTarget               // the word of a redirect
	markElement              // a word between the parentheses of an array
	markSubst                // $( ), backticks, <( ), >( ), ${ ;}
	markSubshell
	markGroup // { }
	markIf
	markElif
	markElse
	markWhile
	markUntil
	markFor
	markSelect
	markCase
	markFunction
	markArith // (( ))
	markTest  // [[ ]]
	markNot
	markTime
	markCoproc
	markPipe
	markPipeAll // |&
	markAnd
	markOr
	markBackground
	markRedirect // and the operator's code added to it
)

// redirect operators, added to markRedirect.
const (
	redirOut     landmarkKind = iota // >
	redirAppend                      // >>
	redirIn                          // <
	redirInOut                       // <>
	redirDupIn                       // <&
	redirDupOut                      // >&
	redirClobber                     // >|
	redirHeredoc                     // <<
	redirDashdoc                     // <<-
	redirString                      // <<<
	redirBoth                        // &>
	redirBothApp                     // &>>
)

// sortLandmarks puts them in the order of the text; most come so already.
func sortLandmarks(s []landmark) {
	compare := func(a, b landmark) int {
		if a.pos != b.pos {
			return int(a.pos - b.pos)
		}
		return int(a.kind) - int(b.kind)
	}
	if !slices.IsSortedFunc(s, compare) {
		slices.SortFunc(s, compare)
	}
}
