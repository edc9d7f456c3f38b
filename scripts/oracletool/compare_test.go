package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/bashast"
)

func known(words ...string) claimCommand {
	c := claimCommand{Dir: claimWord{Value: bashast.Known(projectDir)}}
	for _, w := range words {
		c.Words = append(c.Words, claimWord{Value: bashast.Known(w)})
	}
	return c
}

func with(c claimCommand, words ...claimWord) claimCommand {
	c.Words = append(c.Words, words...)
	return c
}

func in(c claimCommand, dir bashast.Value) claimCommand {
	c.Dir = claimWord{Value: dir}
	return c
}

func function(c claimCommand) claimCommand {
	c.Function = true
	return c
}

func ran(argv ...string) start {
	return start{Argv: argv, Dir: projectDir, Path: "/usr/bin/" + argv[0], Parent: optDir + "/sys/bash"}
}

func TestCompareStarts(t *testing.T) {
	one := claimWord{Value: bashast.Unknown("")}
	many := claimWord{Value: bashast.Unknown(""), Many: true}
	choice := claimWord{Value: bashast.OneOf("a", "b")}
	front := claimWord{Value: bashast.Partial("-", "f", "")}
	for _, tt := range []struct {
		name    string
		command claimCommand
		start   start
		want    findingKind // "" for none
	}{
		{"the same words", known("X", "a"), ran("X", "a"), ""},
		{"another word", known("X", "a"), ran("X", "b"), missStart},
		{"a word more", known("X", "a"), ran("X", "a", "b"), missStart},
		{"a word less", known("X", "a"), ran("X"), missStart},
		{"another program", known("X"), ran("Y"), missStart},
		{"an unknown word", with(known("X"), one), ran("X", "q"), ""},
		{"one unknown word is not two", with(known("X"), one), ran("X", "q", "r"), missStart},
		{"many words", with(known("X"), many), ran("X", "q", "r"), ""},
		{"many words, none", with(known("X"), many), ran("X"), ""},
		{"many words, then one", with(known("X"), many, claimWord{Value: bashast.Known("z")}), ran("X", "q", "z"), ""},
		{"one of a few", with(known("X"), choice), ran("X", "b"), ""},
		{"none of a few", with(known("X"), choice), ran("X", "c"), missStart},
		{"known in part", with(known("X"), front), ran("X", "-rf"), ""},
		{"unlike what is known", with(known("X"), front), ran("X", "rf"), missStart},
		{"a function is no program", function(known("X")), ran("X"), missStart},
		{"elsewhere", in(known("X"), bashast.Known("/proj/src")), ran("X"), missDir},
		{"one of two directories", in(known("X"), bashast.OneOf("/proj/src", "/proj")), ran("X"), ""},
		{"somewhere", in(known("X"), bashast.Unknown("")), ran("X"), ""},
		{"a name of its own", known("X", "a"), start{Argv: []string{"n", "a"}, Dir: projectDir, Path: "/usr/bin/X"}, ""},
		{"a script", known("./run.sh", "a"), start{Argv: []string{"/bin/sh", "./run.sh", "a"}, Dir: projectDir, Path: "./run.sh"}, ""},
		{"another script", known("./run.sh"), start{Argv: []string{"/bin/sh", "./x.sh"}, Dir: projectDir, Path: "./x.sh"}, missStart},
		{"the shell behind system()", known("awk"), start{Argv: []string{"sh", "-c", "X"}, Dir: projectDir, Path: "/bin/sh", Parent: optDir + "/sys/mawk"}, ""},
		{"a shell from a shell", known("awk"), start{Argv: []string{"sh", "-c", "X"}, Dir: projectDir, Path: "/bin/sh", Parent: optDir + "/sys/bash"}, missStart},
		{"not found", known("nosuch"), start{Argv: []string{"nosuch"}, Dir: projectDir}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := misses(compare(claim{Commands: []claimCommand{tt.command}}, observation{Starts: []start{tt.start}}, false))
			if want := strings.Fields(string(tt.want)); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func misses(found []finding) []string {
	var kinds []string
	for _, f := range found {
		if f.Kind.miss() {
			kinds = append(kinds, string(f.Kind))
		}
	}
	return kinds
}

func TestCompareChanges(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write claimWrite
		path  string
		want  bool
	}{
		{"the path", claimWrite{Target: bashast.Known("/proj/o")}, "/proj/o", true},
		{"not clean", claimWrite{Target: bashast.Known("/proj/./src/../o")}, "/proj/o", true},
		{"another path", claimWrite{Target: bashast.Known("/proj/p")}, "/proj/o", false},
		{"below", claimWrite{bashast.Known("/proj/src"), true}, "/proj/src/main.go", true},
		{"below, but not recursive", claimWrite{bashast.Known("/proj/src"), false}, "/proj/src/main.go", false},
		{"a longer name", claimWrite{bashast.Known("/proj/sr"), true}, "/proj/src", false},
		{"behind a link", claimWrite{Target: bashast.Known("/proj/link.txt")}, "/proj/a.txt", true},
		{"known in part", claimWrite{Target: bashast.Partial("/proj/", ".txt", "")}, "/proj/o.txt", true},
		{"unlike", claimWrite{Target: bashast.Partial("/proj/", ".txt", "")}, "/proj/o", false},
		{"unknown", claimWrite{Target: bashast.Unknown("")}, "/proj/o", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := compare(claim{Writes: []claimWrite{tt.write}}, observation{Changes: []change{{tt.path, created}}}, false)
			if got := len(found) == 0; got != tt.want {
				t.Errorf("covered: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCompareUnresolved(t *testing.T) {
	everything := observation{Starts: []start{ran("X")}, Changes: []change{{"/proj/o", created}}}
	unresolved := claim{Unresolved: true, Reasons: []string{"syntax: why"}}
	if got := compare(unresolved, everything, false); len(got) != 0 {
		t.Errorf("an unresolved line was held to account: %v", got)
	}
	if got := compare(unresolved, everything, true); len(got) != 1 || got[0] != (finding{overAsk, "syntax: why"}) {
		t.Errorf("a fixed line called unresolved gives %v", got)
	}
	nameless := claim{Commands: []claimCommand{{Words: []claimWord{{Value: bashast.Unknown("")}}}}}
	if got := misses(compare(nameless, observation{}, false)); !slices.Equal(got, []string{"name"}) {
		t.Errorf("an unknown name in a line called resolved gives %v", got)
	}
}
