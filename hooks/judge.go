package hooks

import (
	"context"
	"fmt"

	"github.com/pi-guard/pi-guard/profiles"
)

// JudgeOptions says where and under which settings calls are judged.
type JudgeOptions struct {
	// Project is the root of the project, absolute. It need not exist.
	Project string
	// Home is the person's home directory, absolute.
	Home string
	// DataDir is the guard's own directory.
	DataDir string
	// Mode names the mode; "" is the policy's default.
	Mode string
	// PermissionProfile and Approval override those of project and mode.
	PermissionProfile, Approval string
}

// Judge judges calls outside any session: it knows neither grants nor blocks,
// asks nobody and keeps nothing.
type Judge struct {
	opts    JudgeOptions
	session profiles.Session
	grounds map[string]*ground // by project directory
}

// NewJudge loads the policy that opts name. The error is that of a setting
// that does not exist; a configuration file that is broken makes the policy
// stricter instead.
func NewJudge(opts JudgeOptions) (*Judge, error) {
	j := &Judge{opts: opts, grounds: map[string]*ground{}}
	j.session = profiles.Session{Mode: opts.Mode, Approval: opts.Approval, PermissionProfile: opts.PermissionProfile}
	g := j.groundOf(opts.Project)
	if opts.Mode != "" {
		if _, ok := g.policy.Mode(opts.Mode); !ok {
			return nil, fmt.Errorf("there is no mode %q: write one of %v", opts.Mode, g.policy.Modes())
		}
	}
	if opts.Approval != "" {
		if _, err := profiles.ParseApproval(opts.Approval); err != nil {
			return nil, err
		}
	}
	if opts.PermissionProfile != "" {
		if _, err := profiles.ParsePermissionProfile(opts.PermissionProfile); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// groundOf is the ground of a project.
func (j *Judge) groundOf(project string) *ground {
	g, ok := j.grounds[project]
	if !ok {
		policy, _ := LoadPolicy(context.Background(), project, j.opts.Home, j.opts.DataDir)
		g = newGround(policy, j.opts.Mode, "", map[string]string{"HOME": j.opts.Home})
		j.grounds[project] = g
	}
	return g
}

// Decision is what would happen to a call.
type Decision struct {
	// Action is Allow where the call passes in silence and Ask where a person
	// would be asked.
	Action profiles.Action
	Layer  profiles.Layer
	Rule   string
	// Reason is one sentence for a person.
	Reason string
	// Unresolved is true when the line is not known in full (B11).
	Unresolved bool
	// Facts is what was known of the call.
	Facts profiles.Facts
	// Verdict holds what every layer says.
	Verdict profiles.Verdict
	// Resolution says what answers the verdict.
	Resolution profiles.Resolution
}

// Decide judges one call. The call's directory is the project it is judged in.
func (j *Judge) Decide(c Call) Decision {
	project := c.Cwd
	if project == "" {
		project = j.opts.Project
	}
	said := func() (profiles.Session, profiles.Grants) { return j.session, nil }
	way := judging{call: c}
	follow(context.Background(), &way, judgeOn(j.groundOf(project), said, false))
	return decisionOf(&way)
}

func decisionOf(j *judging) Decision {
	d := Decision{
		Action: j.resolution.Action, Facts: j.facts, Verdict: j.verdict, Resolution: j.resolution,
		Unresolved: j.facts.Program != nil && j.facts.Program.Unresolved(),
		Reason:     "no rule speaks of it",
	}
	if o := spokesman(&j.verdict, j.resolution); o != nil {
		d.Layer, d.Rule, d.Reason = o.Layer, o.Rule, o.Reason
	}
	if d.Action == profiles.Allow && j.verdict.Action() == profiles.Ask {
		d.Reason += ", and that is answered by " + string(j.resolution.By)
	}
	return d
}

// spokesman is the opinion that the outcome rests on: of those left open where
// it is refused or asked, the most telling one of the strictest; else the
// verdict's winner.
func spokesman(v *profiles.Verdict, r profiles.Resolution) *profiles.Opinion {
	if len(r.Open) == 0 {
		return v.Winner()
	}
	var best *profiles.Opinion
	for i := range r.Open {
		o := &r.Open[i]
		if best == nil || o.Action > best.Action || o.Action == best.Action && telling[o.Origin] > telling[best.Origin] {
			best = o
		}
	}
	return best
}

// telling orders the kinds of rules by how much one says about the call at hand.
var telling = map[profiles.Origin]int{
	profiles.OriginDefault: 0, profiles.OriginCatchAll: 1, profiles.OriginPattern: 2, profiles.OriginProject: 3,
	profiles.OriginUnresolved: 4, profiles.OriginEscape: 5, profiles.OriginHardGate: 6, profiles.OriginFixed: 7,
}
