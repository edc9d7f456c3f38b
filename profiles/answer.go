package profiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-guard/pi-guard/paths"
)

// Decider is who decided a call (P10).
type Decider string

// The deciders.
const (
	ByRule     Decider = "rule"     // a layer or a rule
	ByGrant    Decider = "grant"    // a standing yes of the person
	ByApproval Decider = "approval" // the approval mode
	BySandbox  Decider = "sandbox"  // containment makes the question moot
	ByPerson   Decider = "person"   // the person, just now or earlier
	ByNobody   Decider = "nobody"   // nobody could be asked
	ByTimeout  Decider = "timeout"  // nobody answered in time
	ByFailure  Decider = "failure"  // the guard failed
)

// Resolution is what becomes of a call: Allow, Deny, or Ask with a Prompt that
// a person must answer.
type Resolution struct {
	Action Action
	By     Decider
	// Code is the error code of a Deny.
	Code ErrorCode
	// Open are the opinions that refused the call, or that nothing has answered.
	Open []Opinion
	// Prompt is what the person is asked; nil unless Action is Ask.
	Prompt *Prompt
	// Grants are what "allow for session" would grant.
	Grants Grants
	// Unsandboxed is true for a bash line that runs outside the sandbox since
	// the person authorises an escape (P).
	Unsandboxed bool
	// Tool and Mode are the call's tool and the mode's label.
	Tool, Mode string
	// Repeats counts how often the same was refused before; Terminate is true
	// from the second repetition on: the turn ends (P10).
	Repeats   int
	Terminate bool
	// Failure says what failed, for ByFailure.
	Failure string
}

// Prompt is what a person is shown.
type Prompt struct {
	// Title is the question, one line.
	Title string
	// Reasons are why it is asked, one sentence each.
	Reasons []string
	// Safer are other ways that do not need the question.
	Safer []string
	// Command and Directory are the bash line and where it runs; Marks are the
	// parts of the line that are asked about.
	Command, Directory string
	Marks              [][2]int
	// Options are the possible answers, in the order to offer them.
	Options []Option
	// Pattern is the proposed pattern of a narrower grant, "" for none; the
	// person may edit it.
	Pattern string
	// Block is the path that "deny and block" would block.
	Block string
	// Delegate is who asks, "" for the agent.
	Delegate string
}

// Option is one possible answer.
type Option struct {
	Choice Choice
	Label  string
}

// Choice is a person's answer.
type Choice string

// The choices.
const (
	ChooseOnce    Choice = "once"
	ChooseSession Choice = "session"
	ChoosePattern Choice = "pattern" // for the session, by the pattern shown
	ChooseProject Choice = "project" // the pattern, for this project
	ChooseForever Choice = "forever" // the pattern or name, in the global config
	ChooseDeny    Choice = "deny"
	ChooseBlock   Choice = "deny-block"
)

// Answer answers what a verdict asks, in the order of spec section 1: an
// explicit grant, the approval mode, containment, and then a person. Every ask
// must be answered by itself; one that is left over makes a prompt.
func (p *Policy) Answer(v Verdict, f Facts, grants Grants) Resolution {
	res := Resolution{Action: v.Action(), By: ByRule, Tool: f.Tool, Mode: p.mode(f.Session.Mode).Label}
	if res.Action == Deny {
		res.deny(v)
		res.repeat(p, &f)
		return res
	}
	approval := p.Approval(f.Session)
	for _, o := range v.Opinions() {
		if o.Action != Ask {
			continue
		}
		switch {
		case grants.answers(p, &f, &o):
			res.By = ByGrant
			res.Unsandboxed = res.Unsandboxed || o.Origin == OriginEscape && f.Surface == SurfaceBash
		case approvalAnswers(approval, &f, &o):
			res.By = ByApproval
		case contained(&f, &o):
			res.By = BySandbox
		default:
			res.Open = append(res.Open, o)
		}
	}
	switch {
	case len(res.Open) == 0:
		res.Action = Allow
	case f.Headless:
		res.Action, res.By, res.Code = Deny, ByNobody, CodeDenied
		res.repeat(p, &f)
	default:
		res.Grants = p.sessionGrants(&f, res.Open)
		res.Prompt = p.prompt(&f, &res)
	}
	return res
}

// deny fills in who refused: the person where the refusal repeats theirs.
func (r *Resolution) deny(v Verdict) {
	for _, o := range v.Opinions() {
		if o.Action == Deny {
			r.Open = append(r.Open, o)
		}
	}
	winner := r.winner()
	r.Code = orCode(winner.Code)
	if winner.Layer == LayerBlock || winner.Layer == LayerDenied {
		r.By = ByPerson
	}
}

func orCode(c ErrorCode) ErrorCode {
	if c == "" {
		return CodeDenied
	}
	return c
}

// winner is the opinion that speaks for a refusal.
func (r *Resolution) winner() Opinion {
	if len(r.Open) == 0 {
		return Opinion{}
	}
	best := 0
	for i := range r.Open {
		if weight(&r.Open[i]) > weight(&r.Open[best]) {
			best = i
		}
	}
	return r.Open[best]
}

// weight orders the refusing layers by which one's text the model is given:
// what no rule can change before what one can, and of the rules the more
// specific one, a reason of its own first (P2).
func weight(o *Opinion) int {
	w := map[Layer]int{
		LayerIntegrity: 90, LayerInput: 80, LayerPermission: 70, LayerDelegate: 65, LayerOperating: 60,
		LayerProtected: 50, LayerBlock: 45, LayerDenied: 40, LayerManagedPolicy: 35, LayerBase: 33, LayerHardGate: 30,
		LayerMode: 20, LayerPath: 18, LayerExternal: 16, LayerProject: 14,
	}[o.Layer]
	if o.Model != "" && w <= 20 {
		w += 5
	}
	return w
}

// approvalAnswers reports whether the approval mode answers an ask: auto what a
// surface's default or catch-all asks, accept-edits the same for write and edit
// inside the workspace (H D115, spec section 1).
func approvalAnswers(a Approval, f *Facts, o *Opinion) bool {
	if o.Origin != OriginDefault && o.Origin != OriginCatchAll {
		return false
	}
	switch a {
	case ApprovalAuto:
		return true
	case ApprovalAcceptEdits:
		return isMutation(f.Surface) && o.Layer == LayerMode && allInside(f)
	}
	return false
}

// contained reports whether the sandbox makes an ask moot: what is not known of
// a line that runs contained (B11).
func contained(f *Facts, o *Opinion) bool {
	return f.Surface == SurfaceBash && f.Sandbox == SandboxReady && o.Origin == OriginUnresolved
}

// The states of containment in Facts.Sandbox.
const (
	SandboxReady       = "ready"
	SandboxUnavailable = "unavailable"
	SandboxDisabled    = "disabled"
)

// Answered is the resolution after a person's choice, with the grants to keep
// and the path to block, if any. pattern is the pattern as the person left it.
func (r Resolution) Answered(choice Choice, pattern string) (res Resolution, grants Grants, block string) {
	res = r
	res.By, res.Prompt = ByPerson, nil
	escape := slices.ContainsFunc(r.Open, func(o Opinion) bool { return o.Origin == OriginEscape })
	switch choice {
	case ChooseOnce:
		res.Action = Allow
	case ChooseSession:
		res.Action, grants = Allow, r.Grants
	case ChoosePattern, ChooseProject, ChooseForever:
		res.Action, grants = Allow, lasting(r.Grants, choice, pattern)
	default:
		res.Action, res.Code = Deny, CodeDenied
		if choice == ChooseBlock && r.Prompt != nil {
			block = r.Prompt.Block
		}
	}
	res.Unsandboxed = res.Action == Allow && (r.Unsandboxed || escape && r.Tool == string(SurfaceBash))
	return res, grants, block
}

// lasting turns session grants into those of a choice: by the pattern where
// they are for commands, for the scope that was chosen.
func lasting(session Grants, choice Choice, pattern string) Grants {
	scope := map[Choice]Scope{ChoosePattern: ScopeSession, ChooseProject: ScopeProject, ChooseForever: ScopeGlobal}[choice]
	var gs Grants
	for _, g := range session {
		g.Scope = scope
		if g.Surface == SurfaceBash {
			if pattern == "" {
				continue
			}
			g.Kind, g.Target, g.Rule = GrantPattern, pattern, ""
		}
		gs = gs.Add(g)
	}
	return gs
}

// TimedOut is the resolution when nobody answered the prompt in time (H D005).
func (r Resolution) TimedOut() Resolution {
	r.Action, r.By, r.Code, r.Prompt = Deny, ByTimeout, CodeDenied, nil
	return r
}

// Unreachable is the resolution when the prompt could not be shown.
func (r Resolution) Unreachable() Resolution {
	r.Action, r.By, r.Code, r.Prompt = Deny, ByNobody, CodeDenied, nil
	return r
}

// Failed is the resolution of a call that the guard could not judge; failure
// says what happened in one clause.
func Failed(tool, failure string) Resolution {
	return Resolution{Action: Deny, By: ByFailure, Code: CodeFailed, Tool: tool, Failure: failure}
}

// prompt makes the prompt for what is open.
func (p *Policy) prompt(f *Facts, r *Resolution) *Prompt {
	pr := &Prompt{Title: p.title(f, r.Open), Delegate: f.Delegate}
	worthSaying := sayable(f, r.Open, pr.Title)
	for i := range r.Open {
		o := &r.Open[i]
		if worthSaying(o) && !slices.Contains(pr.Reasons, o.Reason) {
			pr.Reasons = append(pr.Reasons, o.Reason)
		}
		if o.Safer != "" && !slices.Contains(pr.Safer, o.Safer) {
			pr.Safer = append(pr.Safer, o.Safer)
		}
		if o.End > o.Start {
			pr.Marks = append(pr.Marks, [2]int{o.Start, o.End})
		}
	}
	if f.Program != nil {
		pr.Command = f.Program.Text
	}
	if !f.HoldsSecret && !onceOnly(r.Open) {
		pr.Pattern = p.ProposePattern(f, r.Open)
	}
	pr.Block = p.blockable(f, r.Open)
	pr.Options = p.options(f, r, pr)
	return pr
}

// sayable tells which opinions' reasons a prompt lists: not what its title
// says already, and a surface's mere default only where nothing weightier is
// asked about and the line does not say it itself.
func sayable(f *Facts, open []Opinion, title string) func(*Opinion) bool {
	weighty := slices.ContainsFunc(open, func(o Opinion) bool { return !isDefault(&o) })
	return func(o *Opinion) bool {
		if strings.Contains(title, o.Reason) {
			return false
		}
		if !isDefault(o) {
			return o.Layer != LayerExternal || f.Surface == SurfaceBash || strings.Contains(o.Reason, "changed")
		}
		return !weighty && f.Surface == SurfaceBash && !strings.HasPrefix(o.Reason, "runs ")
	}
}

// isDefault reports whether an opinion is no more than a surface's default.
func isDefault(o *Opinion) bool { return o.Origin == OriginDefault || o.Origin == OriginCatchAll }

// onceOnly reports whether a yes can be for this call only: a hard gate, and
// what no setting relaxes.
func onceOnly(open []Opinion) bool {
	return slices.ContainsFunc(open, func(o Opinion) bool { return o.Origin == OriginHardGate || o.Origin == OriginFixed })
}

// options are the answers on offer (P "Session approvals", "Deny and block").
func (p *Policy) options(f *Facts, r *Resolution, pr *Prompt) []Option {
	opts := []Option{{ChooseOnce, "Allow once"}}
	if !onceOnly(r.Open) && !f.HoldsSecret {
		opts = append(opts, Option{ChooseSession, "Allow for session"})
		if pr.Pattern != "" {
			opts = append(opts, Option{ChoosePattern, "Allow " + quote(pr.Pattern) + " for session"})
		}
		if (f.Surface == SurfaceTool || f.Surface == SurfaceSkill) && !p.managed.NoLastingGrants {
			opts = append(opts, Option{ChooseForever, "Allow forever"})
		} else if pr.Pattern != "" && !p.managed.NoLastingGrants {
			opts = append(opts, Option{ChooseProject, "Allow " + quote(pr.Pattern) + " in this project"},
				Option{ChooseForever, "Allow " + quote(pr.Pattern) + " forever"})
		}
	}
	opts = append(opts, Option{ChooseDeny, "Deny"})
	if pr.Block != "" {
		opts = append(opts, Option{ChooseBlock, "Deny and block " + pr.Block + " for this session"})
	}
	return opts
}

// title is the question of a prompt (P).
func (p *Policy) title(f *Facts, open []Opinion) string {
	switch {
	case f.Surface == SurfaceBash:
		return p.bashTitle(f, open)
	case isFileSurface(f.Surface):
		if slices.ContainsFunc(open, func(o Opinion) bool { return o.Layer == LayerExternal }) {
			return "Outside project - allow " + f.Tool + "? (" + firstTarget(open) + ")"
		}
		return "Allow " + f.Tool + "? (" + firstTarget(open) + ")"
	}
	return "Allow " + string(f.Surface) + " " + orElse(f.Target, f.Tool) + "?"
}

// bashTitle is the question about a bash line, with its main cause: a hard
// gate, an escape, or what is the matter with the sandbox (P's table).
func (p *Policy) bashTitle(f *Facts, open []Opinion) string {
	note := ""
	for i := range open {
		switch o := &open[i]; {
		case o.Origin == OriginHardGate:
			return "Allow bash? (" + o.Reason + ") " + OneLine(f.Program.Text)
		case o.Origin == OriginEscape && o.Layer == LayerExternal:
			note = "path outside project: " + o.Target
		case o.Origin == OriginEscape && note == "":
			note = o.Reason
		case o.Layer == LayerSandbox && note == "":
			note = "sandbox unavailable"
		}
	}
	if note == "" && (!p.mode(f.Session.Mode).Sandbox.Enabled || f.Sandbox == SandboxDisabled) {
		note = "sandbox disabled; " + open[0].Reason
	}
	if note != "" {
		note = " (" + note + ")"
	}
	return "Allow bash?" + note + " " + OneLine(f.Program.Text)
}

// OneLine is a command on one line, cut at 80 characters (P).
func OneLine(command string) string {
	line := strings.Join(strings.Fields(command), " ")
	if clipped := clip(line, 80); clipped != line {
		return clip(line, 79) + "…"
	}
	return line
}

func firstTarget(open []Opinion) string {
	for i := range open {
		if open[i].Target != "" {
			return open[i].Target
		}
	}
	return ""
}

// blockable is the path that may be blocked for the session: one outside the
// project that is asked about and is neither home, nor a root of the system,
// nor what the project or a writable root lies in (P "Deny and block").
func (p *Policy) blockable(f *Facts, open []Opinion) string {
	outside := slices.ContainsFunc(open, func(o Opinion) bool {
		return o.Layer == LayerExternal || o.Origin == OriginEscape
	})
	if !outside {
		return ""
	}
	for i := range f.Paths {
		path := &f.Paths[i]
		if path.Root == paths.External && !path.Pattern && !path.Partial && path.Problem == "" &&
			p.safeToBlock(path.Canonical, p.mode(f.Session.Mode)) {
			return path.Canonical
		}
	}
	return ""
}

func (p *Policy) safeToBlock(path string, m *Mode) bool {
	if strings.Count(path, "/") < 2 || paths.Within(path, p.home) || paths.Within(path, p.project) {
		return false
	}
	for _, root := range m.Sandbox.AllowWrite {
		if abs, err := paths.Read(root, p.project, p.home); err == nil && paths.Within(path, filepath.Clean(abs)) {
			return false
		}
	}
	return true
}
