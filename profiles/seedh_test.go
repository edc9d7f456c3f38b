package profiles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/bashast"
)

// The tests of this file are the sentences of H's document (seed 000) on modes,
// approvals, prompts and delegates.

// TestH_OperatingMatrix is H section 10: what each operating mode does with
// each kind of tool under each approval mode.
func TestH_OperatingMatrix(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"modes": {
		"agent": {"permission": {"read": "allow", "grep": "allow", "find": "allow", "write": "ask", "edit": "ask", "bash": {"*": "ask"}, "tool": "ask"}},
		"plan": {"permission": {"tool": "allow"}}, "goal": {"permission": {"tool": "allow"}}}}`})
	type row struct {
		tool                  string
		ask, acceptEdits, aut Action
	}
	matrix := map[string][]row{
		"agent": {
			{"read", Allow, Allow, Allow},
			{"grep", Allow, Allow, Allow},
			{"find", Allow, Allow, Allow},
			{"browser_preview", Allow, Allow, Allow},
			{"write", Ask, Allow, Allow},
			{"edit", Ask, Allow, Allow},
			{"plugin_x_y", Ask, Ask, Allow},
			{"submit_plan", Deny, Deny, Deny},
			{"submit_goal", Deny, Deny, Deny},
			{"enter_plan_mode", Allow, Allow, Allow},
		},
		"plan": {
			{"read", Allow, Allow, Allow},
			{"grep", Allow, Allow, Allow},
			{"find", Allow, Allow, Allow},
			{"browser_preview", Allow, Allow, Allow},
			{"write", Deny, Deny, Deny},
			{"edit", Deny, Deny, Deny},
			{"plugin_x_y", Deny, Deny, Deny},
			{"unknown", Deny, Deny, Deny},
			{"submit_plan", Allow, Allow, Allow},
			{"submit_goal", Deny, Deny, Deny},
			{"enter_goal_mode", Deny, Deny, Deny},
			{"task", Deny, Deny, Deny},
		},
		"goal": {
			{"read", Allow, Allow, Allow},
			{"write", Deny, Deny, Deny},
			{"edit", Deny, Deny, Deny},
			{"plugin_x_y", Deny, Deny, Deny},
			{"submit_goal", Allow, Allow, Allow},
			{"submit_plan", Deny, Deny, Deny},
			{"enter_plan_mode", Deny, Deny, Deny},
			{"new_context", Allow, Allow, Allow},
			{"asktool", Allow, Allow, Allow},
			{"tool_search", Allow, Allow, Allow},
		},
	}
	for mode, rows := range matrix {
		for _, r := range rows {
			for approval, want := range map[string]Action{"ask": r.ask, "accept-edits": r.acceptEdits, "auto": r.aut} {
				w.session = Session{Mode: mode, Approval: approval}
				input := `{"path": "a.go"}`
				if SurfaceOf(r.tool) == SurfaceTool {
					input = `{}`
				}
				w.want(w.call(r.tool, input), want, fmt.Sprintf("%s under %s: %s", mode, approval, r.tool))
			}
		}
	}
}

// TestH_NothingReenablesWhatPlanDenies: no grant, approval or profile.
func TestH_NothingReenablesWhatPlanDenies(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"modes": {"plan": {"permission": {"write": "allow", "tool": "allow"}}}}`})
	w.session = Session{Mode: "plan", Approval: "auto", PermissionProfile: "full-access"}
	w.grants = Grants{
		{Kind: GrantTool, Surface: SurfaceWrite, Scope: ScopeSession},
		{Kind: GrantName, Surface: SurfaceTool, Target: "plugin_x_y", Scope: ScopeGlobal},
	}
	w.want(w.on("write", "a.go"), Deny, "write")
	r := w.call("plugin_x_y", `{}`)
	w.want(r, Deny, "a plugin's tool")
	w.wantText(r, "PLUGIN_DISABLED_IN_PLAN")
	if r.Code != CodePluginInPlan {
		t.Errorf("the code is %s", r.Code)
	}
}

func TestH_ApprovalResolution(t *testing.T) {
	p := Defaults()
	for _, tt := range []struct {
		mode, session string
		want          Approval
	}{
		{"default", "", ApprovalAsk},
		{"build", "", ApprovalAuto},
		{"build", "ask", ApprovalAsk},
		{"default", "accept-edits", ApprovalAcceptEdits},
		{"default", "nonsense", ApprovalAsk},
	} {
		if got := p.Approval(Session{Mode: tt.mode, Approval: tt.session}); got != tt.want {
			t.Errorf("%s with %q: %s", tt.mode, tt.session, got)
		}
	}
}

// TestH_AutoAnswersDefaultsOnly: auto answers what a surface's default or a
// catch-all asks, and nothing else (spec section 1).
func TestH_AutoAnswersDefaultsOnly(t *testing.T) {
	w := newWorld(t, map[string]string{
		"global":  mode("default", `{"read": {"*": "ask", "private/*": "ask"}, "tool": "ask", "external_directory": "ask"}`),
		"project": mode("default", `{"read": {"proj/*": "ask"}}`),
	})
	w.session.Approval = "auto"
	w.want(w.on("read", "x"), Allow, "a catch-all")
	w.want(w.call("some_tool", `{}`), Allow, "a bare action")
	w.want(w.on("read", "private/x"), Ask, "a pattern of its own")
	w.want(w.on("read", "proj/x"), Ask, "the project's overlay")
	w.want(w.on("read", ".env"), Ask, "a secret")
	w.want(w.on("read", "../out/x"), Allow, "reading outside (H 4a)")
	w.want(w.on("write", "../out/x"), Ask, "changing what lies outside is an escape")
	w.want(w.call("slack_post", `{}`), Ask, "a hard gate")
}

func TestH_AcceptEditsIsForTheWorkspace(t *testing.T) {
	w := newWorld(t, nil)
	w.session.Approval = "accept-edits"
	w.want(w.on("write", "a.go"), Allow, "inside")
	w.want(w.on("edit", "a.go"), Allow, "inside")
	w.want(w.on("write", "../out/a.go"), Ask, "outside")
	w.want(w.on("read", "../out/a.go"), Ask, "outside (H 4a)")
	w.want(w.call("some_tool", `{}`), Ask, "another tool")
}

func TestH_ScratchNeedsNoPrompt(t *testing.T) {
	w := newWorld(t, map[string]string{"scratch/leak": "-> $/out"})
	w.want(w.on("write", "$DIR/scratch/x"), Allow, "write")
	w.want(w.on("edit", "$DIR/scratch/x"), Allow, "edit")
	w.want(w.on("read", "$DIR/scratch/x"), Allow, "read")
	w.want(w.on("write", "$DIR/scratch/leak/x"), Ask, "a symlink planted in scratch reaches nothing")
	w.session.Mode = "plan"
	w.want(w.on("write", "$DIR/scratch/x"), Deny, "plan does not expose write")
}

func TestH_ScratchBelowTheDataDirectoryIsOpen(t *testing.T) {
	w := newWorld(t, nil)
	data := w.dir + "/home/.pi/agent/pi-guard"
	w.want(w.on("read", data+"/key"), Deny, "the data directory")
	scratch := w.resolver.Resolve(data+"/scratch/s1/x", "/")
	if reason := w.policy.SealedReason(&scratch, bashast.Write); reason != "" {
		t.Errorf("scratch is sealed: %s", reason)
	}
}

func TestH_OutsidePathsAskBeforeTheLowRiskAllow(t *testing.T) {
	w := newWorld(t, map[string]string{"proj/leak": "-> $/out"})
	for _, path := range []string{"../out/x", "$DIR/out/x", "leak/x", "~/x", "/etc/hosts"} {
		for _, tool := range []string{"read", "grep", "find", "ls"} {
			r := w.on(tool, path)
			w.want(r, Ask, tool+" "+path)
			for _, c := range []Choice{ChooseOnce, ChooseSession, ChooseDeny} {
				if !offers(r, c) {
					t.Errorf("%s %s offers no %s", tool, path, c)
				}
			}
		}
	}
}

// TestL2_OutsideGrantIsForToolAndDirectory.
func TestL2_OutsideGrantIsForToolAndDirectory(t *testing.T) {
	w := newWorld(t, map[string]string{"out/lib/a": "", "out/lib/sub/b": "", "out/c": ""})
	_, w.grants, _ = w.on("read", "../out/lib/a").Answered(ChooseSession, "")
	w.want(w.on("read", "../out/lib/b"), Allow, "the directory shown")
	w.want(w.on("read", "../out/lib/sub/b"), Allow, "below it")
	w.want(w.on("read", "../out/c"), Ask, "above it")
	w.want(w.on("read", "../out/library/x"), Ask, "beside it")
	w.want(w.on("grep", "../out/lib"), Ask, "another tool")
	w.want(w.on("write", "../out/lib/a"), Ask, "another tool")
	w.want(w.on("read", "a"), Allow, "inside as before")
}

func TestH_DelegatesHaveTheirDefinitionsTools(t *testing.T) {
	w := newWorld(t, nil)
	w.session.Mode = "build"
	check := func(tools []string, tool string, want Action) {
		t.Helper()
		f := w.facts(tool, `{"path": "a"}`)
		f.Delegate, f.DelegateTools = "scout", tools
		r := w.policy.Answer(w.policy.Judge(f), f, nil)
		w.want(r, want, fmt.Sprintf("%s with %v", tool, tools))
		if want == Deny {
			w.wantText(r, `"scout"`)
		}
	}
	scout, _ := ParseDelegateTools(nil)
	for _, tool := range []string{"read", "grep", "find"} {
		check(scout, tool, Allow)
	}
	for _, tool := range []string{"write", "edit", "ls", "some_tool", "submit_plan"} {
		check(scout, tool, Deny)
	}
	all, _ := ParseDelegateTools([]string{"*"})
	check(all, "write", Allow)
	check(all, "some_tool", Deny)
	tools, warnings := ParseDelegateTools([]string{"read", "rocket", " bash "})
	if !slices.Equal(tools, []string{"read", "bash"}) || len(warnings) != 1 || !strings.Contains(warnings[0], "rocket") {
		t.Errorf("got %v, %v", tools, warnings)
	}
	f := w.facts("write", `{"path": "a"}`)
	w.session.Mode = "default"
	f.Session, f.Delegate, f.DelegateTools = w.session, "scout", all
	if r := w.policy.Answer(w.policy.Judge(f), f, nil); r.Prompt == nil || r.Prompt.Delegate != "scout" {
		t.Errorf("the prompt does not name who asks: %+v", r.Prompt)
	}
}

// TestDenialTexts: distinct texts for each decider, each with its code, what
// was refused and a next step (P8, P10, H section 8).
func TestDenialTexts(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("default", `{"edit": "deny"}`)})
	ask := w.on("write", "a.go")
	person, _, _ := ask.Answered(ChooseDeny, "")
	texts := map[string]Resolution{
		"the user denied": person, "nobody answered": ask.TimedOut(), "no one could be asked": ask.Unreachable(),
		"could not judge": Failed("write", "the process stopped"), "Decided by a rule, not by the user": w.on("edit", "a.go"),
	}
	for part, r := range texts {
		text := ModelText(r)
		if r.Action != Deny || !strings.Contains(text, part) {
			t.Errorf("%s: %q", part, text)
		}
		for other := range texts {
			if other != part && strings.Contains(text, other) {
				t.Errorf("the text for %q also says %q", part, other)
			}
		}
		if r.By == ByFailure {
			continue
		}
		for _, want := range []string{"TOOL_DENIED", "as intended", "do not retry", "rephrase", "another tool", "a.go"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q lacks %q", text, want)
			}
		}
	}
	if !strings.HasPrefix(ModelText(texts["could not judge"]), "TOOL_FAILED") {
		t.Error("a failure of the guard is no denial")
	}
}

// TestDenialIsState: what a person refused stays refused on every surface, and
// repeated tries end the turn (P10).
func TestDenialIsState(t *testing.T) {
	w := newWorld(t, map[string]string{"out/f": "", "out/link": "-> $/out/f"})
	w.session.Denied = map[string]int{}
	count := func(r Resolution, f Facts) {
		for _, key := range w.policy.DenialKeys(f, r) {
			w.session.Denied[key]++
		}
	}
	f := w.facts("read", `{"path": "../out/f"}`)
	r := w.policy.Answer(w.policy.Judge(f), f, nil)
	denied, _, _ := r.Answered(ChooseDeny, "")
	count(denied, f)
	for i, tool := range []string{"grep", "read", "ls"} {
		f = w.facts(tool, `{"path": "$DIR/out/link"}`)
		r = w.policy.Answer(w.policy.Judge(f), f, nil)
		w.want(r, Deny, tool)
		w.wantText(r, "refused by the person")
		if r.Terminate != (i > 0) {
			t.Errorf("try %d: terminate is %v after %d", i+2, r.Terminate, r.Repeats)
		}
		count(r, f)
	}
	w.want(w.on("read", "../out/g"), Ask, "another path")
	w.want(w.on("write", "../out/f"), Ask, "a refused look is no refused change")
	w.session.Denied = nil
	w.want(w.on("read", "../out/f"), Ask, "the person has taken it back")
}

func TestRefusedChangeIsRefusedOnEverySurface(t *testing.T) {
	w := newWorld(t, nil)
	f := w.facts("write", `{"path": "a.go", "content": "x"}`)
	denied, _, _ := w.policy.Answer(w.policy.Judge(f), f, nil).Answered(ChooseDeny, "")
	w.session.Denied = map[string]int{}
	for _, key := range w.policy.DenialKeys(f, denied) {
		w.session.Denied[key]++
	}
	w.want(w.on("edit", "a.go"), Deny, "edit")
	w.want(w.call("mcp__fs__write", `{"file": "a.go"}`), Deny, "another tool")
	w.want(w.on("read", "a.go"), Allow, "a look")
	w.want(w.on("write", "b.go"), Ask, "another file")
}

func TestRepeatedTriesOfARuleEndTheTurn(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("default", `{"read": {"*": "allow", "no/*": "deny"}}`)})
	w.session.Denied = map[string]int{}
	for i := range 3 {
		f := w.facts("read", `{"path": "no/x"}`)
		r := w.policy.Answer(w.policy.Judge(f), f, nil)
		if r.Repeats != i || r.Terminate != (i == 2) {
			t.Errorf("try %d: %d repeats, terminate %v", i, r.Repeats, r.Terminate)
		}
		for _, key := range w.policy.DenialKeys(f, r) {
			w.session.Denied[key]++
		}
	}
	w.want(w.on("read", "yes/x"), Allow, "counting refuses nothing")
}

func TestTimeOutIsNotRemembered(t *testing.T) {
	w := newWorld(t, nil)
	f := w.facts("write", `{"path": "a"}`)
	r := w.policy.Answer(w.policy.Judge(f), f, nil).TimedOut()
	w.session.Denied = map[string]int{}
	for _, key := range w.policy.DenialKeys(f, r) {
		w.session.Denied[key]++
	}
	w.want(w.on("write", "a"), Ask, "the person may be back")
}
