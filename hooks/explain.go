package hooks

import (
	"fmt"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/profiles"
)

// Explain renders a decision as a tree for a person: what the call would do,
// what every layer says of it, which one decides, and what would change that
// (N2).
func Explain(d Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", d.Action, visible(d.Reason))
	if d.Facts.Program != nil {
		explainProgram(&b, d.Facts.Program)
	}
	explainPaths(&b, d.Facts.Paths)
	explainLayers(&b, d)
	explainAnswer(&b, d)
	return b.String()
}

func explainProgram(b *strings.Builder, p *bashast.Program) {
	fmt.Fprintf(b, "\nline\n  %s\n", markedLine(p.Text, nil))
	if len(p.Commands) > 0 {
		b.WriteString("\ncommands\n")
	}
	for i := range p.Commands {
		explainCommand(b, i, &p.Commands[i])
	}
	for _, problem := range p.Problems {
		fmt.Fprintf(b, "  not known: %s (%s)\n", visible(problem.Reason), problem.Code)
	}
}

func explainCommand(b *strings.Builder, i int, c *bashast.Command) {
	words := make([]string, len(c.Words))
	for j, w := range c.Words {
		words[j] = quoteWord(w)
	}
	fmt.Fprintf(b, "  %d. %s\n", i+1, strings.Join(words, " "))
	if dir := c.Dir.String(); dir != "" {
		fmt.Fprintf(b, "     in %s\n", visible(dir))
	}
	for _, a := range c.Assigns {
		fmt.Fprintf(b, "     with %s=%s\n", visible(a.Name), visible(a.Value.String()))
	}
	if len(c.Via) > 0 {
		steps := make([]string, len(c.Via))
		for j, v := range c.Via {
			steps[j] = v.Name
			if v.File != "" {
				steps[j] += fmt.Sprintf(" (%s:%d)", v.File, v.Line)
			}
		}
		fmt.Fprintf(b, "     by way of %s\n", visible(strings.Join(steps, ", ")))
	}
	for j, w := range c.Words {
		if !w.Resolved() {
			fmt.Fprintf(b, "     word %d is not known: %s\n", j, visible(w.Why()))
		}
	}
	for _, p := range c.Problems {
		fmt.Fprintf(b, "     not known: %s (%s)\n", visible(p.Reason), p.Code)
	}
}

// quoteWord renders a word so that its boundaries show.
func quoteWord(w bashast.Word) string {
	text := visible(w.String())
	if text == "" || strings.ContainsAny(text, " \"'") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// effectWords say what a call does to a path.
var effectWords = map[bashast.EffectKind]string{
	bashast.Read: "reads", bashast.Write: "writes", bashast.Delete: "deletes",
	bashast.Execute: "runs", bashast.Chmod: "changes the mode of", bashast.Network: "speaks to",
}

func explainPaths(b *strings.Builder, facts []profiles.PathFact) {
	if len(facts) == 0 {
		return
	}
	b.WriteString("\npaths\n")
	for i := range facts {
		f := &facts[i]
		verb := effectWords[f.Effect]
		if f.Command < 0 && f.Mutates && f.Effect == bashast.Read {
			verb = effectWords[bashast.Write]
		}
		text := f.Lexical
		switch {
		case f.Problem != "":
			text = f.Raw + " (" + f.Problem + ")"
		case f.Partial:
			text = f.Value.String() + " (not known whole)"
		case f.Pattern:
			text = f.Raw + " (a pattern)"
		}
		fmt.Fprintf(b, "  %s %s", verb, visible(text))
		if f.Canonical != "" && f.Canonical != f.Lexical && !f.Partial {
			fmt.Fprintf(b, ", which is %s", visible(f.Canonical))
		}
		if f.Root != "" {
			fmt.Fprintf(b, " [%s]", f.Root)
		}
		b.WriteString("\n")
	}
}

// explainLayers lists what was said, the strictest first marked.
func explainLayers(b *strings.Builder, d Decision) {
	opinions := d.Verdict.Opinions()
	if len(opinions) == 0 {
		b.WriteString("\nlayers\n  none speaks of it\n")
		return
	}
	b.WriteString("\nlayers\n")
	seen := map[profiles.Opinion]bool{}
	for _, o := range opinions {
		if seen[o] {
			continue
		}
		seen[o] = true
		mark := " "
		if o.Action == d.Verdict.Action() && o.Action != profiles.Allow {
			mark = ">"
		}
		fmt.Fprintf(b, "%s %-18s %-5s %s", mark, o.Layer, o.Action, visible(o.Rule))
		if o.Target != "" {
			fmt.Fprintf(b, "  on  %s", profiles.OneLine(visible(o.Target)))
		}
		b.WriteString("\n")
		fmt.Fprintf(b, "    %s", visible(o.Reason))
		if o.File != "" {
			fmt.Fprintf(b, " (%s:%d)", visible(o.File), o.Line)
		}
		b.WriteString("\n")
	}
}

func explainAnswer(b *strings.Builder, d Decision) {
	b.WriteString("\nanswer\n")
	r := d.Resolution
	switch {
	case r.Action == profiles.Allow && d.Verdict.Action() == profiles.Allow:
		b.WriteString("  it passes in silence\n")
		return
	case r.Action == profiles.Allow:
		fmt.Fprintf(b, "  it passes in silence: answered by the %s\n", r.By)
		return
	case r.Action == profiles.Ask && r.Prompt != nil:
		labels := make([]string, len(r.Prompt.Options))
		for i, o := range r.Prompt.Options {
			labels[i] = o.Label
		}
		fmt.Fprintf(b, "  a person is asked: %s\n", visible(strings.Join(labels, " | ")))
	default:
		b.WriteString("  it is blocked\n")
	}
	said := map[string]bool{}
	for _, o := range r.Open {
		if text := wouldChange(o); text != "" && !said[text] {
			said[text] = true
			fmt.Fprintf(b, "  what would change it: %s\n", visible(text))
		}
		if o.Safer != "" && !said[o.Safer] {
			said[o.Safer] = true
			fmt.Fprintf(b, "  instead: %s\n", visible(o.Safer))
		}
	}
}

// wouldChange says what a person could do so that an opinion no longer stands
// in the way.
func wouldChange(o profiles.Opinion) string {
	where := ""
	if o.File != "" {
		where = fmt.Sprintf(" in %s, line %d", o.File, o.Line)
	}
	switch o.Origin {
	case profiles.OriginDefault, profiles.OriginCatchAll:
		return fmt.Sprintf("a rule of its own for %s, a session approval, or the approval mode auto", surfaceOf(o))
	case profiles.OriginPattern:
		return fmt.Sprintf("the rule %q%s", o.Rule, where)
	case profiles.OriginProject:
		return fmt.Sprintf("the project's rule %q%s", o.Rule, where)
	case profiles.OriginHardGate:
		return "a person's yes, for this one call; no rule, approval or grant lowers a hard gate"
	case profiles.OriginEscape:
		return "staying inside the project, or a person's yes to this very line"
	case profiles.OriginUnresolved:
		return "writing the line so that what it runs can be read from it"
	case profiles.OriginFixed:
		switch o.Layer {
		case profiles.LayerPermission:
			return "another permission profile: /permission"
		case profiles.LayerOperating:
			return "another mode: /perm"
		case profiles.LayerBlock:
			return "/perm unblock"
		}
		return "nothing: no setting relaxes this"
	}
	return ""
}

func surfaceOf(o profiles.Opinion) string {
	if o.Surface == "" {
		return "it"
	}
	return "the surface " + string(o.Surface)
}
