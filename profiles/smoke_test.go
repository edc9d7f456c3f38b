package profiles

import "testing"

func TestSmoke(t *testing.T) {
	p := Defaults()
	t.Log(p.Modes(), p.DefaultMode())
	v := p.Judge(Facts{Tool: "mcp__x__y", Surface: SurfaceTool})
	r := p.Answer(v, Facts{Tool: "mcp__x__y", Surface: SurfaceTool}, nil)
	t.Logf("%+v %+v", r, r.Prompt)
}

func BenchmarkDefaults(b *testing.B) {
	for b.Loop() {
		Defaults()
	}
}
