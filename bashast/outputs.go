package bashast

import (
	"path"
	"strings"
)

// maxOutput bounds the text that output makes.
const maxOutput = 64 << 10

// output is the text c prints on standard output where it is fixed by its
// words and standard input: echo, printf, cat of a here-document, base64 -d.
//
// For a program that prints the paths of files it is a value made by belowDir:
// each line then is such a path.
func output(c *Command, env Env) Value {
	name := c.Name()
	if name == "" || c.Function || len(c.Redirects) > 0 && redirectsOutput(c) {
		return Unknown("the output of a program")
	}
	if print := printers(name); print != nil {
		args, ok := knownArgs(c)
		if !ok {
			return partialOutput(name, c)
		}
		if v := print(c, args, env); v.Kind() != UnknownKind {
			return bounded(v)
		}
	}
	if v := listing(name, c, env); v.Kind() != UnknownKind {
		return v
	}
	return Unknown("the output of " + name)
}

func bounded(v Value) Value {
	if t, ok := v.Text(); ok && len(t) > maxOutput {
		return Unknown("more output than is followed")
	}
	return v
}

func redirectsOutput(c *Command) bool {
	for i := range c.Redirects {
		if r := &c.Redirects[i]; strings.Contains(r.Op, ">") && (r.FD == 1 || r.FD == -1) && r.Op != "<>" {
			return true
		}
	}
	return false
}

// knownArgs are the texts of the arguments where all are known.
func knownArgs(c *Command) ([]string, bool) {
	args := make([]string, 0, len(c.Words)-1)
	for i := 1; i < len(c.Words); i++ {
		t, ok := c.Words[i].Text()
		if !ok || c.Words[i].Many {
			return nil, false
		}
		args = append(args, t)
	}
	return args, true
}

// partialOutput keeps what is known of the text that echo and printf print.
func partialOutput(name string, c *Command) Value {
	words := c.Words[1:]
	switch {
	case name == "echo" && len(words) > 0 && !strings.HasPrefix(option1(&words[0]), "-"):
		return Concat(joinWords(words), Known("\n"))
	case name == "printf" && len(words) > 1:
		if f, ok := words[0].Text(); ok && (f == "%s" || f == `%s\n`) && len(words) == 2 {
			return Concat(words[1].Value, Known(strings.TrimPrefix(unescapeOr(f), "%s")))
		}
	}
	return Unknown("the output of " + name + ", whose arguments are not known")
}

func unescapeOr(f string) string { return strings.ReplaceAll(f, `\n`, "\n") }

// printer computes the output of one program; Unknown where it is not fixed.
type printer func(c *Command, args []string, env Env) Value

func printers(name string) printer {
	switch name {
	case "echo":
		return printEcho
	case "printf":
		return printPrintf
	case "basename":
		return printBasename
	case "dirname":
		return printDirname
	case "pwd":
		return printPwd
	case "seq":
		return printSeq
	case "true", "false", ":", "test", "[", "cd", "mkdir", "touch", "chmod", "rm",
		"cp", "mv", "ln", "sleep", "unset", "shift", "exit", "return", "wait", "kill":
		return printNothing
	}
	if f := filterOf(name); f != nil {
		return func(c *Command, args []string, _ Env) Value {
			if text, ok := c.Stdin.Text(); ok {
				return f(text, args)
			}
			return Value{}
		}
	}
	return nil
}

// printNothing is the output of programs that are silent on standard output
// unless told to be verbose.
func printNothing(_ *Command, args []string, _ Env) Value {
	for _, a := range args {
		if strings.HasPrefix(a, "-") && strings.ContainsAny(a, "vVlp") || a == "-" {
			return Value{}
		}
	}
	return Known("")
}

func printBasename(_ *Command, args []string, _ Env) Value {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || len(args) > 2 || args[0] == "" {
		return Value{}
	}
	base := path.Base(args[0])
	if len(args) == 2 && base != args[1] {
		base = strings.TrimSuffix(base, args[1])
	}
	return Known(base + "\n")
}

func printDirname(_ *Command, args []string, _ Env) Value {
	if len(args) != 1 || strings.HasPrefix(args[0], "-") {
		return Value{}
	}
	p := strings.TrimRight(args[0], "/")
	i := strings.LastIndexByte(p, '/')
	switch {
	case p == "" && args[0] != "":
		return Known("/\n")
	case i < 0:
		return Known(".\n")
	case i == 0:
		return Known("/\n")
	}
	return Known(strings.TrimRight(p[:i], "/") + "\n")
}

func printPwd(c *Command, args []string, _ Env) Value {
	for _, a := range args {
		if a != "-L" && a != "-P" {
			return Value{}
		}
	}
	if len(args) > 0 && args[len(args)-1] == "-P" {
		return Value{}
	}
	return Concat(c.Dir, Known("\n"))
}

// listing is the output of programs that print paths of files below known
// directories, and of those that pass such lines on.
func listing(name string, c *Command, env Env) Value {
	const why = "a path that is printed"
	switch name {
	case "find":
		return findListing(c, why)
	case "fd", "fdfind":
		return commonRoot(c, 1, why)
	case "rg", "grep", "egrep", "fgrep", "ag":
		if hasShort(c, 'l') || hasLong(c, "--files-with-matches") || hasLong(c, "--files") {
			return commonRoot(c, 1, why)
		}
		if c.Stdin.Below() && !hasAnyShort(c, "onchbHZ") {
			return belowDir(c.Stdin.Prefix(), "", why)
		}
	case "git":
		return gitListing(c, why)
	case "sort", "tac", "shuf":
		if c.Stdin.Below() {
			return c.Stdin
		}
	case "uniq", "head", "tail":
		if c.Stdin.Below() && !hasAnyShort(c, "cqv") {
			return c.Stdin
		}
	case "sed":
		if c.Stdin.Below() && len(c.Words) == 3 && hasShort(c, 'n') && isLineRange(&c.Words[2]) {
			return c.Stdin
		}
	}
	return Value{}
}

// isLineRange reports whether w is a sed program that only picks lines.
func isLineRange(w *Word) bool {
	t, ok := w.Text()
	return ok && strings.HasSuffix(t, "p") && strings.Trim(t, "0123456789,$p") == ""
}

func hasAnyShort(c *Command, letters string) bool {
	for i := 0; i < len(letters); i++ {
		if hasShort(c, letters[i]) {
			return true
		}
	}
	return false
}

func hasShort(c *Command, letter byte) bool {
	for i := 1; i < len(c.Words); i++ {
		if t, _ := c.Words[i].Text(); len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.IndexByte(t, letter) > 0 {
			return true
		}
	}
	return false
}

func hasLong(c *Command, name string) bool {
	for i := 1; i < len(c.Words); i++ {
		if t, _ := c.Words[i].Text(); t == name {
			return true
		}
	}
	return false
}

func findListing(c *Command, why string) Value {
	r := rowOf("find")
	p := r.parse(c)
	defer p.release()
	if p.has("-exec", "-execdir", "-ok", "-okdir", "-printf", "-ls") {
		return Value{}
	}
	roots := p.roots()
	suffix := p.nameSuffix("-name", "-iname")
	if len(roots) == 1 && roots[0] != "" {
		return belowDir(roots[0], suffix, why)
	}
	return belowAll(roots, suffix, why)
}

// belowAll is the value below the nearest directory that holds all roots.
func belowAll(roots []string, suffix, why string) Value {
	relative := false
	for _, r := range roots {
		if r == "" || strings.HasPrefix(path.Clean(r), "..") {
			return Value{}
		}
		relative = relative || !strings.HasPrefix(r, "/")
	}
	if relative {
		for _, r := range roots {
			if strings.HasPrefix(r, "/") {
				return Value{}
			}
		}
		return belowDir(".", suffix, why)
	}
	common := commonPrefix(roots)
	if i := strings.LastIndexByte(common, '/'); i > 0 {
		return belowDir(common[:i], suffix, why)
	}
	return Value{}
}

// commonRoot is the value below the path operands of a search program, the
// first skip operands being its pattern.
func commonRoot(c *Command, skip int, why string) Value {
	r := rowOf(c.Name())
	if r == nil {
		return Value{}
	}
	p := r.parse(c)
	defer p.release()
	var roots []string
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil || u.role.kind != roleRead && u.role.kind != roleMeta {
			continue
		}
		t, ok := p.of(u).Text()
		if !ok {
			return Value{}
		}
		roots = append(roots, t)
	}
	switch len(roots) {
	case 0:
		return belowDir(".", "", why)
	case 1:
		return belowDir(roots[0], "", why)
	}
	return belowAll(roots, "", why)
}

// gitListing is the output of git ls-files and git diff --name-only.
func gitListing(c *Command, why string) Value {
	if len(c.Words) < 2 {
		return Value{}
	}
	switch verb, _ := c.Words[1].Text(); verb {
	case "ls-files":
		if hasShort(c, 's') || hasLong(c, "--stage") {
			return Value{}
		}
		return belowDir(".", "", why)
	case "grep":
		if hasShort(c, 'l') || hasLong(c, "--files-with-matches") || hasLong(c, "--name-only") {
			return belowDir(".", "", why)
		}
	case "diff", "show", "diff-tree", "log":
		if hasLong(c, "--name-only") && verb == "diff" {
			return belowDir(".", "", why)
		}
	}
	return Value{}
}
