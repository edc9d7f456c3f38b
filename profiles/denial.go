package profiles

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
)

// pathDenialKey is the key of Session.Denied for one form of a path: reading
// and changing are refused apart.
func pathDenialKey(path *PathFact, form string) string { return effectOf(path) + ":" + form }

// deniedBefore is the opinion on a target that the person refused before.
func deniedBefore(target string) Opinion {
	return Opinion{
		Layer: LayerDenied, Action: Deny, Origin: OriginFixed, Rule: "denied-before", Target: target,
		Reason: quote(target) + " was refused by the person in this session",
	}
}

// callKey names a call by all it says, for calls that have no path.
func callKey(f *Facts) string {
	if f.Program != nil {
		return "command:" + f.Program.Text
	}
	sum := sha256.Sum256(f.Input)
	return "call:" + f.Tool + ":" + orElse(f.Target, hex.EncodeToString(sum[:12]))
}

// judgeDeniedCall refuses a call that the person refused before, word for word,
// and a host that they refused.
func (p *Policy) judgeDeniedCall(f *Facts, v *Verdict) {
	if len(f.Session.Denied) == 0 {
		return
	}
	if _, refused := f.Session.Denied[callKey(f)]; refused {
		target := f.Tool
		if f.Program != nil {
			target = OneLine(f.Program.Text)
		}
		v.Add(deniedBefore(target))
	}
	for _, host := range f.hosts() {
		if _, refused := f.Session.Denied["host:"+host]; refused {
			v.Add(deniedBefore(host))
		}
	}
}

// hosts are the hosts that a bash line is known to speak to.
func (f *Facts) hosts() []string {
	if f.Program == nil {
		return nil
	}
	var hosts []string
	add := func(effects []bashast.Effect) {
		for i := range effects {
			if effects[i].Kind == bashast.Network {
				for _, text := range effects[i].Target.Texts() {
					hosts = append(hosts, hostOf(text))
				}
			}
		}
	}
	add(f.Program.Effects)
	for i := range f.Program.Commands {
		add(f.Program.Commands[i].Effects)
	}
	return hosts
}

// hostOf is the host of a URL, or of host:port.
func hostOf(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	text, _, _ = strings.Cut(text, "/")
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		text = text[i+1:]
	}
	host, _, _ := strings.Cut(text, ":")
	return strings.ToLower(host)
}

// DenialKeys are the keys to put into Session.Denied after a refusal, and to
// count up there once the model has been told of it (P10).
// A person's refusal is remembered by what was refused, on every surface: the
// paths asked about, else the call word for word. Any other refusal, a block's
// too, which can be lifted, is only counted, so that a repeated try is noticed;
// it never refuses anything itself.
// Hooks keep the keys for the session, until the person clears them.
func (p *Policy) DenialKeys(f Facts, r Resolution) []string {
	if r.Action != Deny {
		return nil
	}
	if r.By != ByPerson || r.winner().Layer == LayerBlock {
		return []string{tryKey(&f, &r)}
	}
	var keys []string
	for i := range r.Open {
		for j := range f.Paths {
			if path := &f.Paths[j]; path.display() == r.Open[i].Target && !path.Partial {
				for form := range forms(&path.Resolved) {
					if form[0] == '/' {
						keys = append(keys, pathDenialKey(path, form))
					}
				}
			}
		}
	}
	slices.Sort(keys)
	return append(slices.Compact(keys), callKey(&f), tryKey(&f, &r))
}

// tryKey names a refused call by the rule and the target, so that another
// wording of the same try counts as its repetition.
func tryKey(f *Facts, r *Resolution) string {
	w := r.winner()
	return "try:" + string(w.Layer) + ":" + w.Rule + ":" + w.Target
}

// repeat counts earlier tries of the same.
func (r *Resolution) repeat(p *Policy, f *Facts) {
	r.Repeats = max(f.Session.Denied[tryKey(f, r)], f.Session.Denied[callKey(f)])
	for i := range f.Paths {
		for form := range forms(&f.Paths[i].Resolved) {
			r.Repeats = max(r.Repeats, f.Session.Denied[pathDenialKey(&f.Paths[i], form)])
		}
	}
	r.Terminate = r.Repeats >= 2
}

// ModelText is what the model is told of a refused call, "" for an allowed one.
// It is the single exit point of all refusals (P8, P10): who decided, what
// exactly, that the policy works as intended, that neither repeating nor
// rephrasing helps, and the one next step.
func ModelText(r Resolution) string {
	if r.Action == Allow {
		return ""
	}
	w := r.winner()
	if r.Code == CodeInvalidArgument {
		return invalidText(&w)
	}
	var b strings.Builder
	b.WriteString(string(orCode(r.Code)) + ": ")
	next := "Go on with another part of the task, or tell the person what you need and why."
	switch r.By {
	case ByPerson:
		b.WriteString(personText(&r, &w))
		next = "Ask the person how to go on."
	case ByTimeout:
		b.WriteString("nobody answered the question about " + what(&r, &w) + " in time, so it counts as denied. This is no refusal by the person.")
		next = "Go on with work that needs no permission, and say at the end what is waiting for an answer."
	case ByNobody:
		b.WriteString("no one could be asked about " + what(&r, &w) + ", since this session has no way to show a question, so it counts as denied (" + orElse(w.Model, w.Reason) + ").")
		next = "Go on without it, and say at the end that it needs a person or a rule that allows it."
	case ByFailure:
		b.WriteString("pi-guard could not judge this call, so it was blocked: " + r.Failure + ". Nothing was run.")
		return b.String() + " This is a fault of the guard, not a decision about your request. You may try this same call once more; if it fails again, stop and tell the person to run pi-guard doctor."
	default:
		b.WriteString(ruleText(&r, &w))
	}
	if w.Safer != "" {
		next = "Instead: " + w.Safer + "."
	}
	b.WriteString(" The policy works as intended: do not retry it, rephrase it, or reach the same target with another tool. " + next)
	return b.String() + repeatText(&r)
}

// invalidText is the text for a call that is wrong in itself, which the model
// may mend.
func invalidText(w *Opinion) string {
	text := string(CodeInvalidArgument) + ": " + w.Reason + ". Nothing was run."
	if w.Safer != "" {
		text += " Instead: " + w.Safer + "."
	}
	return text
}

// what names what was refused.
func what(r *Resolution, w *Opinion) string {
	if w.Target == "" || w.Target == r.Tool {
		return r.Tool
	}
	return r.Tool + " (" + OneLine(w.Target) + ")"
}

// personText is the text for a person's refusal; a rule's reason replaces it (P2).
func personText(r *Resolution, w *Opinion) string {
	switch w.Layer {
	case LayerBlock:
		return w.Reason + "."
	case LayerDenied:
		return w.Reason + ". Only the person can take that back, with /perm clear-approvals."
	}
	if w.Model != "" {
		return "the user denied " + what(r, w) + ". " + w.Model
	}
	return "the user denied permission for " + what(r, w) + "."
}

// ruleText is the text for a refusal by a rule.
func ruleText(r *Resolution, w *Opinion) string {
	text := w.Reason
	if w.Model != "" {
		text = w.Model
	}
	return strings.TrimSuffix(text, ".") + ". Decided by a rule, not by the user (layer " + string(w.Layer) + ", rule " + quote(w.Rule) + ")."
}

// repeatText says that the same was tried before.
func repeatText(r *Resolution) string {
	switch {
	case r.Repeats >= 2:
		return " This is at least the third try of the same: the turn ends here."
	case r.Repeats == 1:
		return " This is the second try of the same; a third one ends the turn."
	}
	return ""
}
