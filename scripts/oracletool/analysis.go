package main

import (
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
)

// claim is what an analysis says a line would do, whichever program said it.
type claim struct {
	Commands []claimCommand
	Writes   []claimWrite
	// Unresolved is true when the analysis says that it does not know all of
	// the line.
	Unresolved bool
	// Reasons says what is not known, for reports and groups.
	Reasons []string
	// Effectless is true for an analysis that tells redirects but no effects
	// of commands: what programs write cannot be held against it.
	Effectless bool
}

// claimCommand is one command that the analysis lists.
type claimCommand struct {
	Words []claimWord
	// Dir is where it runs.
	Dir claimWord
	// Function is true when no program is started: the name is a function.
	Function bool
}

// claimWord is what an analysis says of one word.
type claimWord struct {
	bashast.Value
	// Many is true when it may be any number of words.
	Many bool
}

// claimWrite is one path that the analysis says is written, made or removed.
type claimWrite struct {
	Target    bashast.Value
	Recursive bool
}

// analyzer says what a line would do.
type analyzer interface {
	analyze(line string) (claim, error)
}

// inProcess is the analysis of this build.
type inProcess struct{ env bashast.Env }

func (a inProcess) analyze(line string) (claim, error) {
	return claimOf(bashast.Analyze(line, a.env)), nil
}

// claimOf reads a program as a claim.
func claimOf(p *bashast.Program) claim {
	c := claim{Unresolved: p.Unresolved()}
	for _, problem := range p.Problems {
		c.Reasons = append(c.Reasons, reason(problem))
	}
	for i := range p.Commands {
		command := &p.Commands[i]
		if len(command.Words) > 0 {
			c.Commands = append(c.Commands, claimCommandOf(command))
		}
		for _, problem := range command.Problems {
			c.Reasons = append(c.Reasons, reason(problem))
		}
		c.Writes = append(c.Writes, writesOf(command.Effects, command.Redirects)...)
	}
	c.Writes = append(c.Writes, writesOf(p.Effects, p.Redirects)...)
	if p.ParseError && len(c.Reasons) == 0 {
		c.Reasons = append(c.Reasons, "not read whole")
	}
	return c
}

func reason(p bashast.Problem) string { return string(p.Code) + ": " + p.Reason }

func claimCommandOf(command *bashast.Command) claimCommand {
	c := claimCommand{Dir: claimWord{Value: command.Dir}, Function: command.Function}
	for _, w := range command.Words {
		c.Words = append(c.Words, claimWord{Value: w.Value, Many: w.Many})
	}
	return c
}

func writesOf(effects []bashast.Effect, redirects []bashast.Redirect) []claimWrite {
	var writes []claimWrite
	for _, e := range effects {
		switch e.Kind {
		case bashast.Write, bashast.Delete, bashast.Chmod:
			writes = append(writes, claimWrite{e.Target, e.Recursive})
		}
	}
	for _, r := range redirects {
		if !r.Duplicate && strings.Contains(r.Op, ">") {
			writes = append(writes, claimWrite{Target: r.Target.Value})
		}
	}
	return writes
}
