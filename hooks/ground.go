package hooks

import (
	"os"

	"github.com/tidwall/gjson"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/paths"
	"github.com/pi-guard/pi-guard/profiles"
)

// ground is what calls are judged on: a policy, and the roots and the shell
// that go with one mode of it.
type ground struct {
	policy   *profiles.Policy
	mode     string
	resolver *paths.Resolver
	env      bashast.Env
	// prefix is what pi puts before every bash command because a file of the
	// project says so, "" for nothing.
	prefix string
}

// newGround prepares a mode of policy for judging calls.
func newGround(policy *profiles.Policy, mode, scratch string, vars map[string]string) *ground {
	return &ground{
		policy:   policy,
		mode:     mode,
		resolver: paths.NewResolver(policy.Roots(mode, scratch), nil),
		env: bashast.Env{
			Dir: policy.Project(), Project: policy.Project(), Home: policy.Home(), Vars: vars, Files: Files{},
		},
	}
}

// knownVars are the environment variables whose values a line may be read by:
// those that name directories and people. The values of others may be secrets,
// which must not come into a prompt or a record.
var knownVars = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "PWD", "PI_SCRATCH_DIR",
	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
}

// environment is what is known of the environment that pi's commands get.
func environment() map[string]string {
	vars := map[string]string{}
	for _, name := range knownVars {
		if value, ok := os.LookupEnv(name); ok {
			vars[name] = value
		}
	}
	return vars
}

// facts looks at a call and at the files it names.
func (g *ground) facts(c Call, s profiles.Session, headless bool) profiles.Facts {
	f := profiles.Facts{
		Tool: c.Tool, Surface: profiles.SurfaceOf(c.Tool), Input: c.Input,
		Session: s, Headless: headless, Sandbox: profiles.SandboxUnavailable,
	}
	if c.Cwd == "" {
		c.Cwd = g.policy.Project()
	}
	_, f.HoldsSecret = ledger.Redact(string(c.Input))
	if f.Surface != profiles.SurfaceBash {
		var candidates []profiles.Candidate
		candidates, f.InputProblem = profiles.InspectInput(c.Tool, c.Input)
		f.Paths = profiles.PathFacts(candidates, g.resolver, c.Cwd)
		return f
	}
	command := gjson.GetBytes(c.Input, "command")
	if command.Type != gjson.String {
		f.InputProblem = "the command is not a text"
		return f
	}
	line := command.Str
	if g.prefix != "" {
		line = g.prefix + "\n" + line
	}
	env := g.env
	env.Dir = c.Cwd
	f.Program = bashast.Analyze(line, env)
	f.Paths = profiles.ProgramPaths(f.Program, func(path string) paths.Resolved {
		return g.resolver.ResolveExact(path, c.Cwd)
	})
	return f
}
