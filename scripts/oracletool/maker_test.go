package main

import (
	"slices"
	"strings"
	"testing"
)

func testGrammar(t *testing.T) *grammar {
	t.Helper()
	g, err := readGrammar(grammarText)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestLinesComeAgain(t *testing.T) {
	g := testGrammar(t)
	for number := range uint64(2000) {
		made := makeLine(g, drawn(1, number), "")
		again := makeLine(g, drawn(1, number), "")
		replay := makeLine(g, replayed(made.Choices), "")
		if made.Line != again.Line || made.Line != replay.Line || made.Fixed != replay.Fixed {
			t.Fatalf("line %d is made as %q, %q and from its choices %q", number, made.Line, again.Line, replay.Line)
		}
		if strings.ContainsAny(made.Line, "«»⏎␣⇥\x00") {
			t.Fatalf("line %d holds signs of the grammar: %q", number, made.Line)
		}
	}
}

func TestEveryConstructCanBeAskedFor(t *testing.T) {
	g := testGrammar(t)
	for kind, constructs := range g.kinds {
		for _, c := range constructs {
			if kind == "prog" || kind == "mark" || kind == "blank" || kind == "sep" || kind == "opw" || kind == "opdq" {
				continue // parts of words and lists, never alone
			}
			name := kind + "/" + c.name
			for number := range uint64(5) {
				made := makeLine(g, drawn(2, number), name)
				if !slices.Contains(made.Path, name) {
					t.Errorf("%s is not in %q (%v)", name, made.Line, made.Path)
				}
				if made.Fixed && c.loose {
					t.Errorf("%s is loose, but %q is called fixed", name, made.Line)
				}
			}
		}
	}
}

func TestEveryConstructIsDrawn(t *testing.T) {
	g := testGrammar(t)
	drawnSo := map[string]bool{}
	for number := range uint64(20000) {
		for _, name := range makeLine(g, drawn(3, number), "").Path {
			drawnSo[name] = true
		}
	}
	for kind, constructs := range g.kinds {
		for _, c := range constructs {
			if name := kind + "/" + c.name; !drawnSo[name] {
				t.Errorf("%s is in none of 20,000 lines", name)
			}
		}
	}
}

func TestGrammarErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[word a]\n  x":                "header",
		"[word a 0]\n  x":              "weight",
		"[word a 1 odd]\n  x":          "unknown flag",
		"[word a 1]\n  «nothing»":      "nothing fills",
		"[word a 1]\n  «word":          "not closed",
		"[word a 1]\n":                 "no ways",
		"x":                            "neither",
		"[word a 1]\n  «set nothing»x": "nothing fills",
	} {
		if _, err := readGrammar(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("reading %q gives the error %v, want one with %q", text, err, want)
		}
	}
}
