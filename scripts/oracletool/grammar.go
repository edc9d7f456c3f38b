package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed grammar.txt
var grammarText string

// construct is one row of the table of generators: one way to make a piece of
// a line of its kind.
type construct struct {
	kind, name string
	weight     int
	// loose says that what such a piece does is not fixed by the line.
	loose bool
	// writers says that the programs of writersReal are to be themselves.
	writers bool
	ways    []way
}

// way is one template of a construct: texts between holes.
type way []part

// part is a text, or the content of a hole.
type part struct {
	text string
	hole bool
}

// grammar is the table of constructs by kind, and the settings that pieces
// may ask for in front of the statement they stand in.
type grammar struct {
	kinds    map[string][]construct
	settings map[string]string
}

// signs stand for characters that a line of the grammar cannot hold.
var signs = strings.NewReplacer("⏎", "\n", "␣", " ", "⇥", "\t", "␍", "\r", "␌", "\f", "␋", "\v", "⍽", "\u00a0", "␁", "\x01", "␛", "\x1b")

// readGrammar reads the table. The format is described at its top.
func readGrammar(text string) (*grammar, error) {
	g := &grammar{kinds: map[string][]construct{}, settings: map[string]string{}}
	var current *construct
	number := 0
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		number++
		line := lines.Text()
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "["):
			c, err := readHeader(line)
			if err != nil {
				return nil, fmt.Errorf("grammar.txt:%d: %w", number, err)
			}
			g.kinds[c.kind] = append(g.kinds[c.kind], c)
			current = &g.kinds[c.kind][len(g.kinds[c.kind])-1]
		case strings.HasPrefix(line, "  ") && current != nil:
			w, err := readWay(signs.Replace(line[2:]))
			if err != nil {
				return nil, fmt.Errorf("grammar.txt:%d: %w", number, err)
			}
			current.ways = append(current.ways, w)
		case strings.HasPrefix(line, "set "):
			name, value, _ := strings.Cut(line[len("set "):], " ")
			g.settings[name] = value
		default:
			return nil, fmt.Errorf("grammar.txt:%d: neither a header nor a way", number)
		}
	}
	return g, g.check()
}

func readHeader(line string) (construct, error) {
	fields := strings.Fields(strings.Trim(line, "[]"))
	if len(fields) < 3 || !strings.HasSuffix(line, "]") {
		return construct{}, fmt.Errorf("a header is [kind name weight flags…]")
	}
	weight, err := strconv.Atoi(fields[2])
	if err != nil || weight < 1 {
		return construct{}, fmt.Errorf("the weight %q is not a positive number", fields[2])
	}
	c := construct{kind: fields[0], name: fields[1], weight: weight}
	for _, flag := range fields[3:] {
		switch flag {
		case "loose":
			c.loose = true
		case "writers":
			c.writers = true
		default:
			return construct{}, fmt.Errorf("unknown flag %q", flag)
		}
	}
	return c, nil
}

func readWay(line string) (way, error) {
	var w way
	for line != "" {
		before, rest, found := strings.Cut(line, "«")
		if before != "" {
			w = append(w, part{text: before})
		}
		if !found {
			break
		}
		hole, after, closed := strings.Cut(rest, "»")
		if !closed {
			return nil, fmt.Errorf("a hole is not closed")
		}
		w = append(w, part{text: hole, hole: true})
		line = after
	}
	return w, nil
}

// check makes sure that every hole can be filled.
func (g *grammar) check() error {
	for _, constructs := range g.kinds {
		for _, c := range constructs {
			if len(c.ways) == 0 {
				return fmt.Errorf("grammar.txt: %s/%s has no ways", c.kind, c.name)
			}
			for _, w := range c.ways {
				for _, p := range w {
					if p.hole && !g.knows(p.text) {
						return fmt.Errorf("grammar.txt: %s/%s: nothing fills «%s»", c.kind, c.name, p.text)
					}
				}
			}
		}
	}
	return nil
}

func (g *grammar) knows(hole string) bool {
	name, argument, _ := strings.Cut(hole, " ")
	if name == "set" {
		return g.settings[argument] != ""
	}
	if _, ok := fillers()[name]; ok {
		return argument == "" || g.knows(argument)
	}
	return g.kinds[name] != nil && argument == ""
}

// has reports whether there is a construct "kind/name".
func (g *grammar) has(name string) bool {
	kind, name, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(g.kinds[kind], func(c construct) bool { return c.name == name })
}
