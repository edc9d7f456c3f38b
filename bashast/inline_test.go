package bashast

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// codeFacts are what a program text does, one text each, in order.
func codeFacts(lang, text string) []string {
	c := &Command{Dir: Known("/p"), Words: []Word{{Value: Known(lang)}}}
	env := Env{Dir: "/p", Project: "/p", Home: "/h"}
	l := looker{c: c, env: env, name: lang}
	l.code(lang, Known(text), -1)
	var out []string
	for _, in := range l.out {
		out = append(out, innerFacts(in)...)
	}
	f := finder{c: c, env: env, start: c.Dir, dir: c.Dir}
	f.code(lang, Known(text), -1)
	for _, e := range f.out {
		out = append(out, effectFact(e))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestLanguageExamples runs the examples of every language.
func TestLanguageExamples(t *testing.T) {
	gjson.ParseBytes(languageData).ForEach(func(key, v gjson.Result) bool {
		lang := strings.Fields(key.Str)[0]
		t.Run(lang, func(t *testing.T) {
			if v.Get("why").Str == "" || len(v.Get("examples").Array()) < 3 {
				t.Error("the language has no reason, or fewer than three examples")
			}
			for _, ex := range v.Get("examples").Array() {
				items := ex.Array()
				var want []string
				for _, w := range items[1:] {
					want = append(want, w.Str)
				}
				slices.Sort(want)
				if got := codeFacts(lang, items[0].Str); !slices.Equal(got, want) {
					t.Errorf("%s\n%s", items[0].Str, cmp.Diff(want, got))
				}
			}
		})
		return true
	})
}
