package house

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePage(t *testing.T) {
	page := strings.Join([]string{
		"# Title",
		"```console", "$ echo one \\", "two", "one two", "$ false", "[exit status 1]", "```",
		"```sh", "not run", "```",
		"<!-- file: .pi/x.json -->", "```jsonc", "{}", "```",
		"```pi", "> /perm build", "Mode: build.", "```",
	}, "\n")
	blocks := parsePage(page)
	kinds := []string{}
	for _, b := range blocks {
		kinds = append(kinds, b.kind)
	}
	if diff := cmp.Diff([]string{"console", "file", "pi"}, kinds); diff != "" {
		t.Fatalf("blocks (-want +got):\n%s", diff)
	}
	if blocks[1].name != ".pi/x.json" || blocks[1].text != "{}\n" {
		t.Errorf("file block %+v", blocks[1])
	}
	want := []exchange{
		{typed: "echo one \\\ntwo", want: []string{"one two"}, line: 3},
		{typed: "false", want: []string{"[exit status 1]"}, line: 6},
	}
	if diff := cmp.Diff(want, blocks[0].exchanges("$ "), cmp.AllowUnexported(exchange{})); diff != "" {
		t.Errorf("exchanges (-want +got):\n%s", diff)
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		want []string
		got  string
		ok   bool
	}{
		{nil, "", true},
		{nil, "something", false},
		{[]string{"one"}, "one\n", true},
		{[]string{"one"}, "one\ntwo\n", false},
		{[]string{"one", "…"}, "one\ntwo\nthree\n", true},
		{[]string{"one", "…"}, "one", true},
		{[]string{"took … ms"}, "took 12 ms", true},
		{[]string{"took … ms"}, "took 12\nms", false},
		{[]string{"a.c"}, "abc", false},
	} {
		if matches(test.want, test.got) != test.ok {
			t.Errorf("matches(%q, %q) = %v", test.want, test.got, !test.ok)
		}
	}
}
