package profiles

import (
	"path"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// ProgramPaths lists every path that a program's commands touch, in the form
// Judge wants. resolve says what a path really is; a path that is known in
// part comes with its known beginning as Lexical (F2, B19).
func ProgramPaths(program *bashast.Program, resolve func(string) paths.Resolved) []PathFact {
	var facts []PathFact
	for i := range program.Commands {
		for _, e := range program.Commands[i].Effects {
			facts = appendEffect(facts, e, i, resolve)
		}
	}
	for _, e := range program.Effects {
		facts = appendEffect(facts, e, -1, resolve)
	}
	return facts
}

func appendEffect(facts []PathFact, e bashast.Effect, command int, resolve func(string) paths.Resolved) []PathFact {
	if e.Kind == bashast.Network {
		return facts
	}
	fact := PathFact{
		Field: "command", Command: command, Effect: e.Kind, Recursive: e.Recursive, Metadata: e.Metadata, Span: e.Span,
		Mutates: e.Kind == bashast.Write || e.Kind == bashast.Delete || e.Kind == bashast.Chmod,
	}
	if !e.Target.Resolved() {
		fact.Partial = true
		fact.Value = e.Target
		if prefix := e.Target.Prefix(); prefix != "" {
			fact.Resolved = resolve(prefix)
			fact.Raw = e.Target.String()
		}
		return append(facts, fact)
	}
	for _, text := range e.Target.Texts() {
		fact.Resolved = resolve(text)
		facts = append(facts, fact)
	}
	return facts
}

// bashJudge gathers the opinions on one bash line (spec section 2).
type bashJudge struct {
	policy *Policy
	mode   *Mode
	facts  *Facts
	gates  *gateTable
	v      *Verdict
}

// judgeBash adds what the layers say of the commands and paths of a bash line.
// The layers that look at the tool alone, and those that look at any path, are
// the caller's.
func (p *Policy) judgeBash(f *Facts, v *Verdict) {
	gates, err := loadGates()
	if err != nil || f.Program == nil {
		v.Add(Opinion{
			Layer: LayerUnresolved, Surface: SurfaceBash, Action: Ask, Origin: OriginUnresolved, Rule: "analysis",
			Reason: "the line could not be analysed",
		})
		return
	}
	b := &bashJudge{policy: p, mode: p.mode(f.Session.Mode), facts: f, gates: gates, v: v}
	for i := range f.Paths {
		b.judgePath(&f.Paths[i])
	}
	for i := range f.Program.Commands {
		b.judgeCommand(&f.Program.Commands[i])
	}
	if len(f.Program.Commands) == 0 {
		b.judgeSilence()
	}
	b.judgeSealedNames()
	b.judgeNamedSecrets()
	b.judgeWritten()
	b.judgeNetwork()
	b.judgeProblems()
}

// judgeSilence speaks for a line that starts nothing. Empty is not allowed by
// default: an analysis that came out empty must not pass for one that found
// nothing to fear, so the line itself must hold nothing (B23).
func (b *bashJudge) judgeSilence() {
	action, reason := Allow, "the line starts nothing"
	if b.facts.Program.Unresolved() {
		action, reason = b.unresolvedAction(), "the line was not understood"
	}
	b.v.Add(Opinion{
		Layer: LayerMode, Surface: SurfaceBash, Action: action, Origin: OriginUnresolved, Rule: "empty", Reason: reason,
	})
}

// judgeCommand matches one command against the mode's bash rules, the path
// gate and the hard gates.
func (b *bashJudge) judgeCommand(c *bashast.Command) {
	if len(c.Words) == 0 || c.Function {
		return
	}
	for _, target := range commandTargets(c) {
		b.judgeText(c, target)
	}
	b.judgeTokens(c)
	for _, r := range b.gates.gateCommand(c) {
		if b.policy.GateEnabled(b.mode.Name, r.Category) {
			b.judgeRow(r, c)
		}
	}
}

// judgeRow adds what a row says of a command: nothing where the tree was
// looked at and holds nothing to lose, and else what would be lost (B22).
func (b *bashJudge) judgeRow(r *gateRule, c *bashast.Command) {
	o := r.opinion(commandText(c), c.Span)
	if tree := b.facts.Tree; tree != nil && r.Loses != "" {
		lost := tree.lost(r.Loses)
		if len(lost) == 0 {
			return
		}
		o.Reason += ": " + listLost(lost)
	}
	b.v.Add(o)
}

// judgeText is the mode's own rule on a command, and the overlays'. A command
// of a script that the line runs is covered by the rule on that line, unless a
// pattern speaks of it (B6).
func (b *bashJudge) judgeText(c *bashast.Command, target string) {
	rule, _ := b.policy.MatchText(b.mode.Name, SurfaceBash, target)
	if rule.catchesAll() && fromScript(c) {
		return
	}
	contract := b.isContract()
	shipped := rule != nil && rule.catchesAll() && rule.File == ""
	if shipped && (rule.Action == Ask || contract) && b.isOrdinary(c, target, contract) {
		b.v.Add(Opinion{
			Layer: LayerMode, Surface: SurfaceBash, Action: Allow, Origin: OriginDefault, Rule: "ordinary", Target: target,
			Reason: "an ordinary command that passes in silence",
		})
		b.policy.OverlayText(b.v, b.mode.Name, SurfaceBash, target)
		return
	}
	o := ruleOpinion(LayerMode, SurfaceBash, rule, target)
	o.Name, o.Start, o.End = c.Name(), c.Span.Start, c.Span.End
	if contract && rule.catchesAll() {
		o.Action = Stricter(o.Action, Ask)
	}
	switch o.Action {
	case Ask:
		o.Reason = "runs " + clip(target, 80)
	case Deny:
		o.Reason = "bash command denied by policy: " + clip(target, 80)
	}
	b.v.Add(o)
	b.policy.OverlayText(b.v, b.mode.Name, SurfaceBash, target)
}

// isContract reports whether the mode negotiates a plan or goal and nothing
// contains the line: then what is more than looking needs a yes, unless the
// approval mode gives it (L4, H section 10).
func (b *bashJudge) isContract() bool {
	return b.mode.Operating != OperatingAgent && b.facts.Sandbox != "ready"
}

// isOrdinary reports whether the shipped tables or the project's profile let a
// command pass where the shipped default asks.
func (b *bashJudge) isOrdinary(c *bashast.Command, text string, looking bool) bool {
	table, err := loadOrdinary()
	return err == nil && table.holds(c, b.gates, looking) || !looking && b.policy.isVerifyCommand(text)
}

func fromScript(c *bashast.Command) bool {
	for _, via := range c.Via {
		if via.Kind == bashast.ViaScript {
			return true
		}
	}
	return false
}

// judgeTokens is the path gate on the words of a command: a pattern such as
// *.env is matched against each word and against the whole (P "Bash", B9).
func (b *bashJudge) judgeTokens(c *bashast.Command) {
	b.judgeToken(commandText(c), c.Span)
	for _, w := range c.Words[1:] {
		for _, text := range w.Texts() {
			b.judgeToken(text, w.Span)
		}
	}
}

func (b *bashJudge) judgeToken(text string, span bashast.Span) {
	if rule, ok := b.policy.MatchText(b.mode.Name, SurfacePath, text); ok && !rule.catchesAll() && rule.Action > Allow {
		o := ruleOpinion(LayerPath, SurfacePath, rule, text)
		o.Name, o.Start, o.End = text, span.Start, span.End
		b.v.Add(o)
	}
	b.policy.OverlayText(b.v, b.mode.Name, SurfacePath, text)
}

// commandTargets are the texts that bash patterns are matched against: the
// joined command as written and with its bare name (B8, B9).
func commandTargets(c *bashast.Command) []string {
	joined := commandText(c)
	name := c.Name()
	written, _ := c.Words[0].Text()
	if name == "" || name == written {
		return []string{joined}
	}
	return []string{joined, name + strings.TrimPrefix(joined, written)}
}

func commandText(c *bashast.Command) string {
	if len(c.Words) == 1 {
		return c.Words[0].String()
	}
	var s strings.Builder
	for i := range c.Words {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(c.Words[i].String())
	}
	return s.String()
}

// judgeProblems turns what is not known into questions (B11).
func (b *bashJudge) judgeProblems() {
	for _, problem := range b.facts.Program.Problems {
		b.addProblem(problem)
	}
	for i := range b.facts.Program.Commands {
		for _, problem := range b.facts.Program.Commands[i].Problems {
			b.addProblem(problem)
		}
	}
}

func (b *bashJudge) addProblem(p bashast.Problem) {
	b.v.Add(Opinion{
		Layer: LayerUnresolved, Action: b.unresolvedAction(), Origin: OriginUnresolved, Rule: string(p.Code),
		Reason: p.Reason, Safer: "write the command with its names and paths spelled out",
		Start: p.Span.Start, End: p.Span.End,
	})
}

// unresolvedAction is allow only in a mode that drops the hard gates: yolo
// never prompts (L3).
func (b *bashJudge) unresolvedAction() Action {
	if b.policy.GateEnabled(b.mode.Name, "unresolved") {
		return Ask
	}
	return Allow
}

// judgeNetwork asks about data that leaves for another machine, and about
// hosts that are not known.
func (b *bashJudge) judgeNetwork() {
	if !b.policy.GateEnabled(b.mode.Name, "network") {
		return
	}
	for i := range b.facts.Program.Commands {
		for _, e := range b.facts.Program.Commands[i].Effects {
			b.judgeHost(e)
		}
	}
	for _, e := range b.facts.Program.Effects {
		b.judgeHost(e)
	}
}

func (b *bashJudge) judgeHost(e bashast.Effect) {
	if e.Kind != bashast.Network {
		return
	}
	if !e.Target.Resolved() {
		switch prefix := e.Target.Prefix(); {
		case !knownHost(prefix):
			b.addHost(e, "network-unknown-host", "speaks to a host that the line does not name")
		case !isLoopback(prefix):
			b.addHost(e, "network-unknown-address", "may carry data out in an address that the line does not fix")
		}
		return
	}
	for _, host := range e.Target.Texts() {
		if e.Send && !isLoopback(host) {
			b.addHost(e, "network-send", "sends local data to another machine")
			return
		}
	}
}

func (b *bashJudge) addHost(e bashast.Effect, rule, reason string) {
	b.v.Add(Opinion{
		Layer: LayerHardGate, Action: Ask, Origin: OriginHardGate, Rule: rule, Target: e.Target.String(),
		Reason: reason, Safer: "name the host, and send nothing of this machine", Start: e.Span.Start, End: e.Span.End,
	})
}

// knownHost reports whether prefix holds a whole host: scheme, name and the
// slash behind it.
func knownHost(prefix string) bool {
	_, rest, ok := strings.Cut(prefix, "://")
	return ok && strings.IndexByte(rest, '/') > 0
}

// isLoopback reports whether a host, host:port or URL is this machine.
func isLoopback(target string) bool {
	if _, rest, ok := strings.Cut(target, "://"); ok {
		target = rest
	}
	if at := strings.LastIndexByte(target, '@'); at >= 0 {
		target = target[at+1:]
	}
	if i := strings.IndexAny(target, "/?#"); i >= 0 {
		target = target[:i]
	}
	if strings.HasPrefix(target, "[::1]") || target == "::1" {
		return true
	}
	host, _, _ := strings.Cut(target, ":")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || isLoopback4(host)
}

func isLoopback4(host string) bool {
	if !strings.HasPrefix(host, "127.") || strings.Count(host, ".") != 3 {
		return false
	}
	return strings.Trim(host, "0123456789.") == ""
}

// judgePath speaks for the layers that look at one path of the line.
func (b *bashJudge) judgePath(f *PathFact) {
	if f.Problem != "" || safeDevice(f.Lexical) && !f.Partial || f.Partial && f.Value.Prefix() == "/dev/fd/" {
		return
	}
	b.judgeEffectRows(f)
	b.judgeDelete(f)
	if f.Partial && f.Lexical == "" {
		b.judgeUnknownPath(f)
		return
	}
	if b.isSystemProgram(f) {
		return
	}
	start := len(b.v.opinions)
	if f.Partial {
		b.judgePartial(f)
	} else {
		b.judgeKnown(f)
	}
	b.policy.judgeExternal(b.facts, b.mode, f, b.v)
	for i := start; i < len(b.v.opinions); i++ {
		b.v.opinions[i].Start, b.v.opinions[i].End = f.Span.Start, f.Span.End
	}
}

// judgeKnown is the gates on a path that is known whole.
func (b *bashJudge) judgeKnown(f *PathFact) {
	if f.Mutates && !b.isBuildOutputDelete(f) && !b.isGitsOwn(f) {
		if reason := b.policy.ProtectedReason(b.mode.Name, &f.Resolved); reason != "" {
			b.v.Add(Opinion{
				Layer: LayerProtected, Action: Deny, Origin: OriginFixed, Rule: "protected", Target: f.display(),
				Name: f.display(), Reason: "Path " + quote(f.display()) + " is protected: " + reason,
			})
		}
	}
	if !f.Metadata {
		b.policy.judgePathGate(b.mode, f, b.v)
	}
	b.judgeMutation(f)
}

// judgeMutation lets the write rules of the mode speak about what a command
// changes in the project, so that a reader whose output goes to a file is no
// reader. As the surface's default it only asks: bash is not denied by the
// rule of another tool (H section 10).
func (b *bashJudge) judgeMutation(f *PathFact) {
	if !f.Mutates || f.Root != paths.Workspace || b.scripted(f) || b.byGit(f) {
		return
	}
	rule := matchForms(b.mode.rules[SurfaceWrite], &f.Resolved)
	o := ruleOpinion(LayerMode, SurfaceWrite, rule, f.display())
	if o.Action == Allow {
		return
	}
	if rule.catchesAll() {
		o.Action = Ask
	}
	o.Surface, o.Name = SurfaceBash, f.display()
	if f.Command >= 0 {
		// A grant is for the command's name, and covers what it changes in
		// the project (L2).
		o.Name = b.facts.Program.Commands[f.Command].Name()
	}
	o.Reason = effectVerb(f.Effect) + " " + f.display()
	b.v.Add(o)
}

// scripted reports whether the path belongs to a command of a followed script.
func (b *bashJudge) scripted(f *PathFact) bool {
	return f.Command >= 0 && fromScript(&b.facts.Program.Commands[f.Command])
}

func effectVerb(kind bashast.EffectKind) string {
	switch kind {
	case bashast.Delete:
		return "deletes"
	case bashast.Chmod:
		return "changes the mode or owner of"
	}
	return "writes"
}

// judgePartial is the gates on a path of which the beginning is known: what
// it may turn out to be counts where the known part points there.
func (b *bashJudge) judgePartial(f *PathFact) {
	if reason := b.policy.SealedReason(&f.Resolved, partialEffect(f)); reason != "" {
		b.v.Add(Opinion{
			Layer: LayerIntegrity, Action: Deny, Origin: OriginFixed, Rule: "guard-state", Target: f.display(),
			Reason: "Path " + quote(f.display()) + " may be guard state (" + reason + ")",
		})
	}
	if f.Mutates && !f.cleanPartial() {
		b.judgeUnknownPath(f)
	}
	for _, candidate := range b.candidates(f) {
		r := paths.Resolved{Raw: candidate, Lexical: candidate, Canonical: candidate}
		if f.Mutates || f.Metadata {
			break
		}
		if id, reason := b.policy.SecretReason(b.mode.Name, &r); id != "" {
			b.v.Add(Opinion{
				Layer: LayerPath, Surface: SurfacePath, Action: Ask, Origin: OriginPattern, Rule: id,
				Target: f.display(), Name: f.display(), Reason: "may be " + candidate + ": " + reason,
			})
			break
		}
	}
	b.judgeMutation(f)
}

// partialEffect is the effect as the known beginning of a path has it: that
// what is deleted lies below a directory does not delete the directory.
func partialEffect(f *PathFact) bashast.EffectKind {
	if f.Effect == bashast.Delete {
		return bashast.Write
	}
	return f.Effect
}

// candidates are names of secrets that a partly known path points at: its
// known part is more than a directory, and the name would fit.
func (b *bashJudge) candidates(f *PathFact) []string {
	prefix, suffix := f.Value.Prefix(), f.Value.Suffix()
	directory := prefix[:strings.LastIndexByte(prefix, '/')+1]
	if prefix == directory && suffix == "" {
		return nil
	}
	var fitting []string
	for _, name := range [...]string{".env", ".env.local", "id_rsa", "id_ed25519", "credentials", "x.pem", "x.key", "x.env"} {
		if f.Value.MayBe(directory + name) {
			fitting = append(fitting, directory+name)
		}
	}
	return fitting
}

// isGitsOwn reports whether git itself works on its own store; what must not
// be set there has rows of its own.
func (b *bashJudge) isGitsOwn(f *PathFact) bool {
	if !b.byGit(f) || f.Rel != ".git" && f.Rel != ".git/config" {
		return false
	}
	for _, w := range b.facts.Program.Commands[f.Command].Words[1:] {
		if text, known := w.Text(); !known || strings.HasPrefix(text, "--output") || strings.HasPrefix(text, "--directory") {
			return false
		}
	}
	return true
}

// byGit reports whether git touches the path: its verbs are judged by the
// mode's rules and by rows of their own, which know what is lost.
func (b *bashJudge) byGit(f *PathFact) bool {
	return f.Command >= 0 && b.facts.Program.Commands[f.Command].Name() == "git"
}

// isBuildOutputDelete reports whether a build output is removed, which the
// protection of node_modules does not mean.
func (b *bashJudge) isBuildOutputDelete(f *PathFact) bool {
	return f.Effect == bashast.Delete && b.isBuildOutput(f)
}

// isSystemProgram reports whether f is a program of the system that is run by
// its path: /usr/bin/grep is grep, not an escape (B7).
func (b *bashJudge) isSystemProgram(f *PathFact) bool {
	if f.Effect != bashast.Execute || f.Partial {
		return false
	}
	switch path.Dir(f.Lexical) {
	case "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin":
		return true
	}
	return false
}

func (b *bashJudge) judgeUnknownPath(f *PathFact) {
	b.judgeUnknownRead(f)
	if !f.Mutates && f.Effect != bashast.Execute {
		return
	}
	b.addProblem(bashast.Problem{
		Code: bashast.ProblemOperand, Span: f.Span,
		Reason: "changes a path that the line does not fix: " + f.Value.Why(),
	})
}

// judgeUnknownRead asks about a path whose end is that of a secret, and about
// another person's home directory, whatever stands before them.
func (b *bashJudge) judgeUnknownRead(f *PathFact) {
	if f.Metadata || f.Mutates {
		return
	}
	name := "/x" + f.Value.Suffix()
	r := paths.Resolved{Raw: name, Lexical: name, Canonical: name}
	if id, reason := b.policy.SecretReason(b.mode.Name, &r); id != "" {
		b.v.Add(Opinion{
			Layer: LayerPath, Surface: SurfacePath, Action: Ask, Origin: OriginPattern, Rule: id, Target: f.display(),
			Name: f.display(), Reason: "may be a secret: " + reason, Start: f.Span.Start, End: f.Span.End,
		})
	}
	if text := b.source(f.Span); len(text) > 1 && text[0] == '~' && text[1] != '/' && text[1] != '+' && text[1] != '-' {
		rule := b.mode.rules[SurfaceExternal].Match("/")
		o := ruleOpinion(LayerExternal, SurfaceExternal, rule, text)
		if o.Action == Ask {
			o.Origin = OriginEscape
		}
		o.Reason, o.Start, o.End = text+" lies in another person's home directory", f.Span.Start, f.Span.End
		b.v.Add(o)
	}
}

// source is the text of the line at a span.
func (b *bashJudge) source(s bashast.Span) string {
	text := b.facts.Program.Text
	if s.Start < 0 || s.End > len(text) || s.Start >= s.End {
		return ""
	}
	return text[s.Start:s.End]
}

func (b *bashJudge) judgeEffectRows(f *PathFact) {
	for _, p := range []string{f.Lexical, f.Canonical} {
		if p == "" {
			continue
		}
		for _, r := range b.gates.gateEffect(f.Effect, p) {
			if b.policy.GateEnabled(b.mode.Name, r.Category) {
				b.v.Add(r.opinion(p, f.Span))
			}
		}
		if f.Canonical == f.Lexical {
			return
		}
	}
}

// judgeDelete asks about recursive and forced deletes beyond build outputs
// (B10). Renames and the version control's own deletes have rows of their own.
func (b *bashJudge) judgeDelete(f *PathFact) {
	if f.Effect != bashast.Delete || f.Command < 0 || !b.policy.GateEnabled(b.mode.Name, "delete") {
		return
	}
	c := &b.facts.Program.Commands[f.Command]
	switch c.Name() {
	case "mv", "rmdir", "git", "rsync", "cp", "install", "ln":
		return
	}
	call := argv{command: c, name: c.Name(), table: b.gates}
	forced := call.has("-f", false) || call.has("--force", false)
	many := f.Partial && len(c.Via) > 0
	if !f.Recursive && !forced && !many || b.isBuildOutput(f) {
		return
	}
	kind := "deletes a whole tree"
	switch {
	case many && !f.Recursive && !forced:
		kind = "deletes files that the line does not name"
	case !f.Recursive:
		kind = "deletes by force, with no question asked"
	}
	b.v.Add(Opinion{
		Layer: LayerHardGate, Action: Ask, Origin: OriginHardGate, Rule: "delete-beyond-build-outputs",
		Target: f.display(), Reason: kind + ", and it is no build output: " + f.display(),
		Safer: "delete build outputs only, or name single files without -r and -f",
		Start: f.Span.Start, End: f.Span.End,
	})
}

// isBuildOutput reports whether the path lies in the project and one of its
// segments is named like something a build makes again.
func (b *bashJudge) isBuildOutput(f *PathFact) bool {
	if f.Root != paths.Workspace && f.Root != paths.Scratch {
		return false
	}
	if f.Root == paths.Scratch {
		return true
	}
	if f.Rel == "" || f.Partial && !f.cleanPartial() {
		return false
	}
	segments := strings.Split(f.Rel, "/")
	if f.Partial {
		suffix := f.Value.Suffix()
		suffix = suffix[strings.LastIndexByte(suffix, '/')+1:]
		if suffix != "" && (matchesAny(b.gates.Outputs, "x"+suffix) || matchesAny(b.gates.Outputs, suffix)) {
			return true
		}
		segments = segments[:len(segments)-1]
	}
	for _, s := range segments {
		if s != "" && matchesAny(b.gates.Outputs, s) {
			return true
		}
	}
	return false
}

func safeDevice(p string) bool {
	switch p {
	case "/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/urandom", "/dev/random", "/dev/full":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/")
}
