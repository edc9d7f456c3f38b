package main

import (
	"encoding/json"
	"os"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/hooks"
)

// analyzeCmd prints what bashast knows of a line.
type analyzeCmd struct {
	Batch bool   `help:"Read one JSON object a line: id, cmd, cwd, home, env."`
	Cwd   string `help:"The directory the line starts in. Default: the current one."`
	Home  string `help:"The home directory. Default: the user's own."`
	Line  string `arg:"" optional:"" help:"The bash line."`
}

// analyzeQuery is one line of analyze --batch.
type analyzeQuery struct {
	ID   json.RawMessage   `json:"id"`
	Cmd  string            `json:"cmd"`
	Cwd  string            `json:"cwd"`
	Home string            `json:"home"`
	Env  map[string]string `json:"env"`
}

// analyzeAnswer is what analyze prints for one line.
type analyzeAnswer struct {
	ID         json.RawMessage   `json:"id"`
	Commands   []analyzeCommand  `json:"commands"`
	Redirects  []analyzeRedirect `json:"redirects"`
	Unresolved bool              `json:"unresolved"`
	ParseError bool              `json:"parse_error"`
}

type analyzeCommand struct {
	Argv       []string `json:"argv"`
	Unresolved []int    `json:"unresolved"`
	Via        []string `json:"via"`
	Cwd        string   `json:"cwd"`
}

type analyzeRedirect struct {
	Op         string `json:"op"`
	Target     string `json:"target"`
	Unresolved bool   `json:"unresolved"`
}

// Run prints one analysis, or one for each line of the input.
func (c *analyzeCmd) Run(std streams) error {
	place, err := standing(c.Cwd, c.Home)
	if err != nil {
		return err
	}
	if c.Batch {
		return eachLine(std.in, std.out, func(q analyzeQuery) any { return analyze(q, place) })
	}
	if c.Line == "" {
		return usageError("analyze: give a bash line, or --batch")
	}
	enc := json.NewEncoder(std.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(analyze(analyzeQuery{Cmd: c.Line}, place))
}

func analyze(q analyzeQuery, place where) analyzeAnswer {
	env := bashast.Env{Dir: place.cwd, Home: place.home, Vars: q.Env, Files: hooks.Files{}}
	if q.Cwd != "" {
		env.Dir = q.Cwd
	}
	if q.Home != "" {
		env.Home = q.Home
	}
	env.Project = env.Dir
	p := bashast.Analyze(q.Cmd, env)
	a := analyzeAnswer{
		ID:         q.ID,
		Commands:   []analyzeCommand{},
		Redirects:  []analyzeRedirect{},
		Unresolved: p.Unresolved(),
		ParseError: p.ParseError,
	}
	for i := range p.Commands {
		a.Commands = append(a.Commands, describe(&p.Commands[i])...)
	}
	for _, r := range p.Redirects {
		for _, target := range alternatives(r.Target.Value) {
			a.Redirects = append(a.Redirects, analyzeRedirect{Op: r.Op, Target: target, Unresolved: !r.Target.Resolved()})
		}
	}
	return a
}

// maxSpelled bounds the ways in which one command is spelled out.
const maxSpelled = 32

// describe spells a command out: once, or, where words may be one of a few
// texts, once for every way.
func describe(c *bashast.Command) []analyzeCommand {
	via := []string{}
	for _, v := range c.Via {
		via = append(via, v.Name)
	}
	argvs := [][]string{{}}
	unresolved := []int{}
	for i, w := range c.Words {
		texts := alternatives(w.Value)
		if !w.Resolved() || w.Many || len(argvs)*len(texts) > maxSpelled {
			texts = []string{w.String()}
			unresolved = append(unresolved, i)
		}
		argvs = product(argvs, texts)
	}
	var all []analyzeCommand
	for _, argv := range argvs {
		all = append(all, analyzeCommand{Argv: argv, Unresolved: unresolved, Via: via, Cwd: c.Dir.String()})
	}
	return all
}

// alternatives are the texts a value may be, or how it reads for a person.
func alternatives(v bashast.Value) []string {
	if v.Resolved() {
		return v.Texts()
	}
	return []string{v.String()}
}

// product appends each of the texts to each of the lists.
func product(lists [][]string, texts []string) [][]string {
	out := make([][]string, 0, len(lists)*len(texts))
	for _, l := range lists {
		for _, t := range texts {
			out = append(out, append(l[:len(l):len(l)], t))
		}
	}
	return out
}

// where is the directory and the home a judgement is made for. Neither needs
// to exist.
type where struct{ cwd, home string }

// standing fills what was not given from the process.
func standing(cwd, home string) (where, error) {
	var err error
	if cwd == "" {
		if cwd, err = os.Getwd(); err != nil {
			return where{}, err
		}
	}
	if home == "" {
		if home, err = os.UserHomeDir(); err != nil {
			return where{}, err
		}
	}
	return where{cwd, home}, nil
}
