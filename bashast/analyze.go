package bashast

// Analyze says what bash would do with text in env. It never fails: what it
// cannot know is a Problem of the program.
func Analyze(text string, env Env) *Program {
	return &Program{Text: text, ParseError: true, Problems: []Problem{{
		Code: ProblemBound, Reason: "the line was not read", Span: Span{0, len(text)},
	}}}
}
