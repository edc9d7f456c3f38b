package bashast

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Explain writes the program as a tree for a person: each command with the
// values of its words, where it comes from, where it runs, what it does to
// files and hosts, and what is not known and why (pi-guard explain bash).
func (p *Program) Explain(w io.Writer) error {
	x := explainer{p: p}
	for i := range p.Commands {
		x.command(&p.Commands[i])
	}
	for i := range p.Effects {
		x.line(0, "%s", p.Effects[i].explain())
	}
	x.problems(0, p.Problems)
	if len(p.Commands) == 0 && len(p.Problems) == 0 {
		x.line(0, "nothing runs")
	}
	if _, err := io.WriteString(w, x.b.String()); err != nil {
		return fmt.Errorf("writing the explanation: %w", err)
	}
	return nil
}

// explainer builds the tree of one program.
type explainer struct {
	p *Program
	b strings.Builder
	// dir is the directory told last; it is told again where it changes.
	dir string
}

func (x *explainer) line(depth int, format string, args ...any) {
	x.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&x.b, format, args...)
	x.b.WriteByte('\n')
}

func (x *explainer) command(c *Command) {
	depth := len(c.Via)
	x.line(depth, "%s", c.explain())
	depth++
	if n := len(c.Via); n > 0 {
		x.line(depth, "by %s", c.Via[n-1].explain())
	}
	if dir := c.Dir.String(); dir != x.dir {
		x.dir = dir
		if c.Dir.Resolved() {
			x.line(depth, "in %s", dir)
		} else {
			x.line(depth, "in a directory that is not known: %s", c.Dir.Why())
		}
	}
	for i := range c.Words {
		x.word(depth, &c.Words[i])
	}
	for i := range c.Redirects {
		x.line(depth, "%s %s", c.Redirects[i].Op, quoteShown(c.Redirects[i].Target.String()))
	}
	for i := range c.Effects {
		x.line(depth, "%s", c.Effects[i].explain())
	}
	x.problems(depth, c.Problems)
}

// explain is the command as it would be typed.
func (c *Command) explain() string {
	var parts []string
	for i := range c.Assigns {
		if len(c.Words) == 0 || c.Words[0].Span.Start > c.Assigns[i].Span.Start {
			parts = append(parts, c.Assigns[i].Name+"="+quoteShown(c.Assigns[i].Value.String()))
		}
	}
	for i := range c.Words {
		parts = append(parts, quoteShown(c.Words[i].String()))
	}
	if len(parts) == 0 {
		return "(redirects alone)"
	}
	text := strings.Join(parts, " ")
	switch {
	case c.Function:
		text += "  (a function of the line)"
	case c.Builtin:
		text += "  (builtin)"
	}
	return text
}

// word tells where the value of a word comes from, where that is not plain.
func (x *explainer) word(depth int, w *Word) {
	source := x.source(w.Span)
	switch {
	case w.Why() != "" && w.Kind() < OneOfKind:
		many := ""
		if w.Many {
			many = ", any number of words"
		}
		x.line(depth, "%s is not known%s: %s", quoteShown(source), many, w.Why())
	case source != "" && strings.ContainsAny(source, "$`~{*?") && strings.Trim(source, `'"`) != w.String():
		x.line(depth, "%s is %s", source, quoteShown(w.String()))
	}
}

// source is the text of the line at a place.
func (x *explainer) source(s Span) string {
	if s.Start < 0 || s.End > len(x.p.Text) || s.Start >= s.End {
		return ""
	}
	return x.p.Text[s.Start:s.End]
}

func (x *explainer) problems(depth int, list []Problem) {
	for _, p := range list {
		x.line(depth, "! %s (%s)", p.Reason, p.Code)
	}
}

// explain names a step on the way to a command.
func (v Via) explain() string {
	if v.File == "" {
		return v.Name
	}
	if v.Line > 0 {
		return v.Name + " at " + v.File + ":" + strconv.Itoa(v.Line)
	}
	return v.Name + " from " + v.File
}

// explain says what an effect does.
func (f Effect) explain() string {
	verb := [...]string{
		Read: "reads", Write: "writes", Delete: "deletes", Execute: "runs", Chmod: "changes the mode of", Network: "speaks to",
	}[f.Kind]
	switch {
	case f.Kind == Network && f.Send:
		verb = "sends to"
	case f.Metadata:
		verb = "looks at"
	}
	text := verb + " " + quoteShown(f.Target.String())
	if f.Recursive {
		text += " and all below"
	}
	if !f.Target.Resolved() && f.Target.Why() != "" {
		text += " (" + f.Target.Why() + ")"
	}
	return text
}

// quoteShown quotes a text where a person could misread it.
func quoteShown(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\r\"'\\") {
		return strconv.Quote(s)
	}
	return s
}
