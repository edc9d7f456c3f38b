package profiles

// judgeBash is layers 6 and 7 for a bash line.
func (p *Policy) judgeBash(f Facts, v *Verdict) {
	m := p.mode(f.Session.Mode)
	if f.Program == nil || f.Program.Unresolved() {
		v.Add(Opinion{
			Layer: LayerUnresolved, Surface: SurfaceBash, Action: Ask, Origin: OriginUnresolved, Rule: "unresolved",
			Reason: "part of the line is not known",
		})
	}
	if f.Program == nil {
		return
	}
	for i := range f.Program.Commands {
		c := &f.Program.Commands[i]
		words, ok := texts(c.Words)
		if !ok || len(words) == 0 {
			continue
		}
		joined := joinWords(words)
		rule, _ := p.MatchText(m.Name, SurfaceBash, joined)
		o := ruleOpinion(LayerMode, SurfaceBash, rule, joined)
		o.Name, o.Start, o.End = c.Name(), c.Span.Start, c.Span.End
		if o.Action == Deny {
			o.Reason = "bash command denied by policy"
		}
		v.Add(o)
		p.OverlayText(v, m.Name, SurfaceBash, joined)
	}
}

func joinWords(words []string) string {
	text := words[0]
	for _, w := range words[1:] {
		text += " " + w
	}
	return text
}
