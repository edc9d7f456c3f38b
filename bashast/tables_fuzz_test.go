package bashast

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// FuzzTables gives any words to every command of the table: nothing may fail,
// and an effect or inner command names words that exist.
func FuzzTables(f *testing.F) {
	for _, name := range []string{"files", "git", "net", "wrappers", "code", "more"} {
		text, err := tableFiles.ReadFile("data/commands-" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		gjson.ParseBytes(text).ForEach(func(_, row gjson.Result) bool {
			for _, ex := range row.Get("examples").Array() {
				f.Add(ex.Get("0").Str, "a b\nc")
			}
			return true
		})
	}
	f.Fuzz(func(t *testing.T, line, stdin string) {
		c := testCommand(line)
		if len(c.Words) == 0 {
			return
		}
		c.Stdin, c.Piped = Known(stdin), true
		env := Env{Dir: "/p", Project: "/p", Home: "/h"}
		for _, e := range effects(c, env) {
			if e.Word >= len(c.Words) {
				t.Errorf("%q: an effect of word %d of %d", line, e.Word, len(c.Words))
			}
		}
		for _, in := range lookThrough(c, env) {
			if in.kind == innerArgv && len(in.words) == 0 && in.problem == nil {
				t.Errorf("%q: an inner command without words", line)
			}
		}
		if v, ok := output(c, env).Text(); ok && len(v) > maxOutput {
			t.Errorf("%q: %d bytes of output", line, len(v))
		}
	})
}

// FuzzCode gives any text to every scanner of program text.
func FuzzCode(f *testing.F) {
	var names []string
	gjson.ParseBytes(languageData).ForEach(func(key, v gjson.Result) bool {
		names = append(names, strings.Fields(key.Str)...)
		for _, ex := range v.Get("examples").Array() {
			f.Add(uint8(len(names)-1), ex.Get("0").Str)
		}
		return true
	})
	names = append(names, "sed", "awk", "vim", "gdb", "ftp", "sql", "gnuplot", "elisp", "applescript", "tex", "rpm")
	for i, text := range []string{"1e rm x", "BEGIN{system(\"x\")}", ":!x", "shell x", "!x", "\\! x", "system 'x'", "(shell-command \"x\")", "do shell script \"x\"", "\\write18{x}", "%(x)"} {
		f.Add(uint8(len(names)-11+i), text)
	}
	f.Fuzz(func(_ *testing.T, lang uint8, text string) {
		scanCode(names[int(lang)%len(names)], Known(text), nil)
	})
}
