package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/pi-guard/pi-guard/profiles"
)

// profileCmd works on the project's profile, .pi/piagent-profile.json.
type profileCmd struct {
	Init     profileInitCmd   `cmd:"" help:"Look what kind of project this is and write its profile."`
	Show     profileShowCmd   `cmd:"" help:"Print the profile in force, with what its preset fills in."`
	Validate profileDoctorCmd `cmd:"" help:"Check the profile against the project."`
	Diff     profileDiffCmd   `cmd:"" help:"Print where the profile differs from a preset."`
}

// projectFlags name the project a command is about.
type projectFlags struct {
	Cwd  string `help:"The project directory. Default: the current one."`
	Home string `help:"The home directory. Default: the user's own."`
}

// load loads the policy of the project.
func (p *projectFlags) load() (*profiles.Policy, profiles.Sources, []profiles.Diagnostic, error) {
	here, err := standing(p.Cwd, p.Home)
	if err != nil {
		return nil, profiles.Sources{}, nil, err
	}
	project, err := filepath.Abs(here.cwd)
	if err != nil {
		return nil, profiles.Sources{}, nil, err
	}
	src := profiles.Sources{
		Project: project, Home: here.home, AgentDir: os.Getenv("PI_CODING_AGENT_DIR"), Getenv: os.LookupEnv,
	}
	policy, diags := profiles.Load(context.Background(), src)
	return policy, src, diags, nil
}

// profileInitCmd writes a profile for the project as it is found.
type profileInitCmd struct {
	projectFlags
	Preset string `help:"The kind of project, instead of what the repository shows."`
	Force  bool   `help:"Replace a profile that is there."`
	Print  bool   `help:"Print the profile instead of writing it."`
}

// Run looks at the repository and writes the profile.
func (c *profileInitCmd) Run(std streams) error {
	here, err := standing(c.Cwd, c.Home)
	if err != nil {
		return err
	}
	project, err := filepath.Abs(here.cwd)
	if err != nil {
		return err
	}
	found := profiles.Detect(os.DirFS(project))
	if c.Preset != "" {
		if _, ok := profiles.Preset(c.Preset); !ok {
			return usageError(fmt.Sprintf("there is no preset %q: write one of %s", c.Preset, strings.Join(profiles.Presets(), ", ")))
		}
		found.Preset = c.Preset
	}
	text := found.Profile(project)
	if c.Print {
		_, err := std.out.Write(text)
		return err
	}
	file := profiles.ProfileFile(project)
	if _, err := os.Lstat(file); err == nil && !c.Force {
		return fmt.Errorf("%s is there already: look at it with pi-guard profile show, or replace it with --force", file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write the profile: %w", err)
	}
	if err := renameio.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("write the profile: %w", err)
	}
	fmt.Fprintf(std.out, "%s: a %s project\n", file, found.Preset)
	for _, e := range found.Evidence {
		fmt.Fprintf(std.out, "  %s\n", e)
	}
	return nil
}

// profileShowCmd prints the profile in force.
type profileShowCmd struct{ projectFlags }

// Run prints the profile as JSON.
func (c *profileShowCmd) Run(std streams) error {
	policy, _, diags, err := c.load()
	if err != nil {
		return err
	}
	if policy.Profile() == nil {
		return noProfile(policy)
	}
	printFindings(std, diags)
	return printJSON(std, policy.Profile())
}

func noProfile(policy *profiles.Policy) error {
	return fmt.Errorf("%s is not there: write it with pi-guard profile init", profiles.ProfileFile(policy.Project()))
}

func printJSON(std streams, value any) error {
	enc := json.NewEncoder(std.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// printFindings prints findings for a person, on standard error.
func printFindings(std streams, diags []profiles.Diagnostic) {
	for _, d := range diags {
		fmt.Fprintln(std.err, d)
	}
}

// profileDiffCmd prints where the profile differs from a preset.
type profileDiffCmd struct {
	projectFlags
	Preset string `arg:"" optional:"" help:"The preset to compare with. Default: the one the profile extends, else generic."`
	JSON   bool   `name:"json" help:"Print the differences as JSON."`
}

// Run prints one difference a line.
func (c *profileDiffCmd) Run(std streams) error {
	policy, _, _, err := c.load()
	if err != nil {
		return err
	}
	own := policy.Profile()
	if own == nil {
		return noProfile(policy)
	}
	name := c.Preset
	if name == "" {
		name = own.Extends
	}
	if name == "" {
		name = "generic"
	}
	preset, ok := profiles.Preset(name)
	if !ok {
		return usageError(fmt.Sprintf("there is no preset %q: write one of %s", name, strings.Join(profiles.Presets(), ", ")))
	}
	differences := own.Diff(preset)
	if c.JSON {
		return printJSON(std, differences)
	}
	for _, d := range differences {
		base, own := compact(d.Base), compact(d.Own)
		fmt.Fprintf(std.out, "%s\n  %s: %s\n  here: %s\n", d.Key, name, base, own)
	}
	return nil
}

func compact(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// profileDoctorCmd checks the profile against the project.
type profileDoctorCmd struct {
	projectFlags
	Project string `arg:"" optional:"" help:"The project directory. Default: that of --cwd."`
	JSON    bool   `name:"json" help:"Print the findings as JSON."`
}

// Run prints the findings; it fails when one is an error.
func (c *profileDoctorCmd) Run(std streams) error {
	if c.Project != "" {
		c.Cwd = c.Project
	}
	policy, _, diags, err := c.load()
	if err != nil {
		return err
	}
	root := os.DirFS(policy.Project())
	if _, err := fs.Stat(root, "."); err != nil {
		return usageError(err.Error())
	}
	return judgeFindings(std, append(diags, policy.ProfileDoctor(root)...), c.JSON)
}

// teamDoctorCmd checks what holds for the whole machine.
type teamDoctorCmd struct {
	projectFlags
	JSON bool `name:"json" help:"Print the findings as JSON."`
}

// Run prints the findings; it fails when one is an error.
func (c *teamDoctorCmd) Run(std streams) error {
	policy, src, diags, err := c.load()
	if err != nil {
		return err
	}
	return judgeFindings(std, policy.TeamDoctor(src, diags), c.JSON)
}

// judgeFindings prints findings and fails when one is an error.
func judgeFindings(std streams, diags []profiles.Diagnostic, asJSON bool) error {
	if asJSON {
		report := struct {
			Findings []profiles.Diagnostic `json:"findings"`
		}{append([]profiles.Diagnostic{}, diags...)}
		if err := printJSON(std, report); err != nil {
			return err
		}
	} else {
		for _, d := range diags {
			fmt.Fprintln(std.out, d)
		}
	}
	for _, d := range diags {
		if d.Severity == profiles.Broken {
			return statusFailure
		}
	}
	if !asJSON && len(diags) == 0 {
		fmt.Fprintln(std.out, "nothing to find fault with")
	}
	return nil
}

// importCmd turns another guard's rules into ours.
type importCmd struct {
	Format string `arg:"" help:"claude, opencode, pi-permission-system or piagent."`
	File   string `arg:"" help:"The file to read."`
	Output string `short:"o" help:"The file to write. It must not exist. Default: standard output."`
}

// Run writes the rules and lists what has no equivalent.
func (c *importCmd) Run(std streams) error {
	data, err := os.ReadFile(c.File)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	imported, err := profiles.Import(c.Format, c.File, data)
	if err != nil {
		return usageError(err.Error())
	}
	for _, note := range imported.Notes {
		fmt.Fprintln(std.err, note)
	}
	if c.Output == "" {
		_, err = std.out.Write(imported.Config)
		return err
	}
	f, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: write to another file and compare", c.Output)
	}
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if _, err = f.Write(imported.Config); err != nil {
		f.Close()
		return fmt.Errorf("import: %w", err)
	}
	if err = f.Close(); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	fmt.Fprintf(std.err, "%s is a %s\n", c.Output, imported.File)
	return nil
}
