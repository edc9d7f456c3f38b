package bashast

import "strings"

// Report is a Program in the form that programs read, one JSON object a line
// (pi-guard analyze --batch).
type Report struct {
	Commands  []ReportCommand  `json:"commands"`
	Redirects []ReportRedirect `json:"redirects"`
	// Unresolved is true when any part of the program is not known.
	Unresolved bool `json:"unresolved"`
	// ParseError is true when the line was not read whole.
	ParseError bool `json:"parse_error"`
}

// ReportCommand is one command of a Report.
type ReportCommand struct {
	// Argv holds the words; one that is not known is rendered for a person.
	Argv []string `json:"argv"`
	// Unresolved holds the indexes of the words that are not known, or may be
	// any number of words.
	Unresolved []int `json:"unresolved"`
	// Via names the steps from the line to the command, outermost first.
	Via []string `json:"via"`
	// Cwd is the directory in force, "" where it is not known. Where it is
	// one of several it is the first, and Cwds holds all.
	Cwd  string   `json:"cwd"`
	Cwds []string `json:"cwds,omitempty"`
}

// ReportRedirect is one redirect of a Report.
type ReportRedirect struct {
	Op         string `json:"op"`
	Target     string `json:"target"`
	Unresolved bool   `json:"unresolved"`
}

// Report renders the program for other programs. A command whose directory is
// not known makes the whole unresolved.
func (p *Program) Report() Report {
	r := Report{
		Commands: []ReportCommand{}, Redirects: []ReportRedirect{},
		Unresolved: p.Unresolved(), ParseError: p.ParseError,
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		if len(c.Words) == 0 {
			continue
		}
		out := c.report()
		r.Unresolved = r.Unresolved || out.Cwd == ""
		r.Commands = append(r.Commands, out)
	}
	for i := range p.Redirects {
		t := &p.Redirects[i].Target
		r.Redirects = append(r.Redirects, ReportRedirect{
			Op: p.Redirects[i].Op, Target: t.String(), Unresolved: !t.Resolved() || t.Many,
		})
	}
	return r
}

func (c *Command) report() ReportCommand {
	out := ReportCommand{Unresolved: []int{}, Via: []string{}}
	for i := range c.Words {
		w := &c.Words[i]
		out.Argv = append(out.Argv, w.String())
		if w.Many || w.Kind() != KnownKind {
			out.Unresolved = append(out.Unresolved, i)
		}
	}
	for _, v := range c.Via {
		out.Via = append(out.Via, strings.TrimSpace(v.Name))
	}
	if dirs := c.Dir.Texts(); len(dirs) > 0 {
		out.Cwd = dirs[0]
		if len(dirs) > 1 {
			out.Cwds = dirs
		}
	}
	return out
}
