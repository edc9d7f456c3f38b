package ledger

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// match says how a simple command relates to the verifier.
type match uint8

const (
	matchNone   match = iota
	matchOther        // its words, written or wrapped otherwise
	matchTarget       // its words and further arguments
	matchWhole        // byte for byte
)

// matchCall compares a simple command with the verifier.
func (r *shellRun) matchCall(call *syntax.CallExpr) match {
	if len(call.Args) == 0 || len(r.words) == 0 {
		return matchNone
	}
	from, to := int(call.Args[0].Pos().Offset()), int(call.Args[len(call.Args)-1].End().Offset())
	if to <= len(r.text) && r.text[from:to] == r.verifier {
		return matchWhole
	}
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = literal(w)
	}
	switch at := indexWords(words, r.words); {
	case at < 0:
		return matchNone
	case at == 0 && len(words) > len(r.words):
		return matchTarget
	}
	return matchOther
}

// indexWords is where part stands in words as a run, -1 for nowhere.
func indexWords(words, part []string) int {
	for i := 0; i+len(part) <= len(words); i++ {
		if slices.Equal(words[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// call follows a simple command: assignments, substitutions, then the command.
func (r *shellRun) call(call *syntax.CallExpr, in states, env *shellEnv) states {
	if len(call.Args) == 0 {
		return r.assignments(call, in, env)
	}
	for _, as := range call.Assigns {
		r.changesEnvironment(as.Name.Value, true)
		if as.Value != nil {
			in = r.substitutions(as.Value, in, env)
		}
	}
	before := r.seen
	for _, w := range call.Args {
		in = r.substitutions(w, in, env)
	}
	if r.seen && !before {
		r.because("the status of a command substitution is lost")
	}
	switch r.matchCall(call) {
	case matchWhole:
		if !r.all {
			return r.runVerifier(in, env)
		}
	case matchTarget:
		if !r.all {
			r.targeted, r.mentioned = true, true
			r.because("the command was run with further arguments, which covers a part only")
			return r.anything(in)
		}
	}
	return r.program(call, call.Args, in, env)
}

func (r *shellRun) runVerifier(in states, env *shellEnv) states {
	r.found(env.dir)
	return in.each(func(s state, out states) {
		out.add(s.ran(true))
		out.add(s.ran(false))
	})
}

// anything is a command that may return anything.
func (r *shellRun) anything(in states) states {
	return in.each(func(s state, out states) {
		out.add(s.with(0))
		out.add(s.with(1))
	})
}

// always is a command whose status is fixed.
func always(in states, status uint8) states {
	return in.each(func(s state, out states) { out.add(s.with(status)) })
}

// assignments follows a command without a name: its status is that of the last
// substitution, 0 if there is none (bash manual 3.7.1).
func (r *shellRun) assignments(call *syntax.CallExpr, in states, env *shellEnv) states {
	for _, as := range call.Assigns {
		r.changesEnvironment(as.Name.Value, false)
		slot := r.slot(as.Name.Value)
		if as.Value == nil || slot < 0 {
			continue
		}
		in = in.each(func(s state, out states) {
			s.vars[slot] = r.value(as.Value, s)
			out.add(s)
		})
	}
	in = always(in, 0)
	for _, as := range call.Assigns {
		if as.Value != nil {
			in = r.substitutions(as.Value, in, env)
		}
	}
	return in
}

// value is what a word is in a course, as far as it is a status.
func (r *shellRun) value(w *syntax.Word, s state) uint8 {
	if lit := literal(w); lit != "" {
		if strings.Trim(lit, "0") == "" {
			return valueZero
		}
		if strings.Trim(lit, "0123456789") == "" {
			return valueNonZero
		}
		return valueUnknown
	}
	if len(w.Parts) != 1 {
		return valueUnknown
	}
	part := w.Parts[0]
	if quoted, ok := part.(*syntax.DblQuoted); ok && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	param, ok := part.(*syntax.ParamExp)
	if !ok || param.Param == nil || param.Excl || param.Length || param.Exp != nil || param.Repl != nil || param.Slice != nil {
		return valueUnknown
	}
	switch name := param.Param.Value; name {
	case "?":
		return s.status
	case "PIPESTATUS":
		if index, ok := param.Index.(*syntax.Word); param.Index == nil || ok && literal(index) == "0" {
			return s.first
		}
	default:
		if slot, known := r.names[name]; known && param.Index == nil {
			return s.vars[slot]
		}
	}
	return valueUnknown
}

// substitutions follows every substitution in a word, in order; each leaves
// its status behind.
func (r *shellRun) substitutions(w syntax.Node, in states, env *shellEnv) states {
	syntax.Walk(w, func(n syntax.Node) bool {
		var stmts []*syntax.Stmt
		switch n := n.(type) {
		case *syntax.CmdSubst:
			stmts = n.Stmts
		case *syntax.ProcSubst:
			in = r.processSubstitution(n, in, env)
			return false
		default:
			return true
		}
		sub := *env
		sub.errexit = false // bash manual 4.3.1: not inherited outside posix mode
		in = r.subshell(in, func(s states) states { return r.list(stmts, always(s, 0), &sub) })
		return false
	})
	return in
}

// processSubstitution follows a program that nobody waits for.
func (r *shellRun) processSubstitution(n *syntax.ProcSubst, in states, env *shellEnv) states {
	before := r.seen
	sub := *env
	ends := r.subshell(in, func(s states) states { return r.list(n.Stmts, s, &sub) })
	if r.seen && !before {
		r.because("nobody waits for a process substitution")
	}
	out := newStates()
	out.join(in)
	for s := range ends.live {
		s.status = 0
		out.add(s)
	}
	return out
}

// program follows a command by its name.
func (r *shellRun) program(call *syntax.CallExpr, args []*syntax.Word, in states, env *shellEnv) states {
	name := literal(args[0])
	switch path.Base(name) {
	case "true", ":", "echo", "printf":
		return always(in, 0)
	case "false":
		return always(in, 1)
	case "exit":
		return r.exit(args, in)
	case "set":
		return r.set(args[1:], in, env)
	case "cd":
		return r.cd(args[1:], in, env)
	case "test", "[":
		return r.test(args, in)
	case "export", "declare", "typeset", "local", "readonly", "shopt", "enable", "hash", "alias", "unalias", "unset", "pushd", "popd":
		return r.shellChange(name, args, in, env)
	case "eval", "source", ".", "trap":
		return r.opaque(name, call, in)
	}
	if inner, ok := wrapped(args); ok {
		return r.wrapper(name, call, inner, in, env)
	}
	if script, inner, ok := shellScript(args); ok {
		return r.script(script, inner, in, env)
	}
	if r.all {
		return r.runVerifier(in, env)
	}
	if r.matchCall(call) != matchNone {
		return r.unknownWrapper(name, in)
	}
	return r.anything(in)
}

// exit leaves the shell with its operand, or with the last status.
func (r *shellRun) exit(args []*syntax.Word, in states) states {
	return in.each(func(s state, out states) {
		value := s.status
		if len(args) > 1 {
			value = r.value(args[1], s)
		}
		if value == valueZero || value == valueUnknown {
			out.exit(s.with(0))
		}
		if value == valueNonZero || value == valueUnknown {
			out.exit(s.with(1))
		}
	})
}

// set follows the options that change what a status means.
func (r *shellRun) set(args []*syntax.Word, in states, env *shellEnv) states {
	words, ok := literals(args)
	if !ok {
		r.spoil("`set` with unknown options")
		return always(in, 0)
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" || word[0] != '-' && word[0] != '+' {
			break
		}
		on := word[0] == '-'
		for _, flag := range word[1:] {
			switch flag {
			case 'e':
				env.errexit = on
			case 'n':
				r.spoil("`set -n` runs nothing")
			case 'o':
				if i++; i < len(words) {
					r.option(words[i], on, env)
				}
			}
		}
	}
	return always(in, 0)
}

func (r *shellRun) option(name string, on bool, env *shellEnv) {
	switch name {
	case "pipefail":
		env.pipefail = on
	case "errexit":
		env.errexit = on
	case "noexec":
		r.spoil("`set -o noexec` runs nothing")
	}
}

// cd follows a change of directory to a place the text names.
func (r *shellRun) cd(args []*syntax.Word, in states, env *shellEnv) states {
	words, ok := literals(args)
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if !ok || len(words) != 1 || words[0] == "-" || env.dir == "" && !path.IsAbs(words[0]) {
		env.dir = ""
		return r.anything(in)
	}
	dir := words[0]
	if !path.IsAbs(dir) {
		dir = path.Join(env.dir, dir)
	}
	if r.dirs != nil && r.dirs(path.Clean(dir)) {
		env.dir = path.Clean(dir)
		return always(in, 0)
	}
	env.dir = "" // the old one stays where cd fails
	r.because("whether `cd` succeeds is not known")
	return r.anything(in)
}

// test follows a comparison of a status with 0.
func (r *shellRun) test(args []*syntax.Word, in states) states {
	if len(args) > 1 && literal(args[0]) == "[" {
		args = args[:len(args)-1]
	}
	if len(args) != 4 || strings.Trim(literal(args[3]), "0") != "" || literal(args[3]) == "" {
		return r.anything(in)
	}
	op := literal(args[2])
	equal := slices.Contains([]string{"-eq", "=", "=="}, op)
	if !equal && op != "-ne" && op != "!=" {
		return r.anything(in)
	}
	return in.each(func(s state, out states) {
		value := r.value(args[1], s)
		if value == valueUnknown || (value == valueZero) == equal {
			out.add(s.with(0))
		}
		if value == valueUnknown || (value == valueZero) != equal {
			out.add(s.with(1))
		}
	})
}

// shellChange follows builtins that change the shell.
func (r *shellRun) shellChange(name string, args []*syntax.Word, in states, env *shellEnv) states {
	switch name {
	case "pushd", "popd":
		env.dir = ""
	case "alias", "enable", "hash":
		r.spoil("`" + name + "` changes what a name means")
	case "shopt":
		if words, ok := literals(args[1:]); !ok || slices.Contains(words, "expand_aliases") || slices.Contains(words, "lastpipe") || slices.Contains(words, "inherit_errexit") {
			r.spoil("`shopt` changes how the line is run")
		}
	default:
		for _, w := range args[1:] {
			if variable, _, ok := strings.Cut(literal(w), "="); ok || literal(w) == "" {
				r.changesEnvironment(variable, true)
			}
		}
	}
	return r.anything(in)
}

// opaque is a command that may do anything to the shell.
func (r *shellRun) opaque(name string, call *syntax.CallExpr, in states) states {
	if strings.Contains(r.textOf(call), r.verifier) {
		r.mentioned = true
	}
	r.spoil("`" + name + "` may change what the rest of the line means")
	return r.anything(in)
}

func (r *shellRun) textOf(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if to > len(r.text) {
		return ""
	}
	return r.text[from:to]
}

// unknownWrapper is a program that has the verifier among its operands.
func (r *shellRun) unknownWrapper(name string, in states) states {
	r.mentioned = true
	if name == r.words[0] || name == "" {
		r.because("the command is written otherwise than in the profile")
	} else {
		r.because("the command is handed to `" + name + "`")
	}
	return r.anything(in)
}

// wrapped are the words behind a wrapper that waits for its command and takes
// on its status, and whether args begin with one in a form that is known.
func wrapped(args []*syntax.Word) ([]*syntax.Word, bool) {
	options := map[string]string{ // options that take a value
		"env": "uS", "nice": "n", "ionice": "cnp", "nohup": "", "stdbuf": "ioe", "timeout": "ks", "time": "fo",
		"command": "", "exec": "a", "setarch": "", "chronic": "",
	}
	name := path.Base(literal(args[0]))
	valued, ok := options[name]
	if !ok {
		return nil, false
	}
	i := 1
	for ; i < len(args); i++ {
		word := literal(args[i])
		if word == "--" {
			i++
			break
		}
		if len(word) < 2 || word[0] != '-' {
			break
		}
		switch {
		case name == "command" && word != "-p", name == "env" && word != "-" && !strings.HasPrefix(word, "-u"):
			return nil, false
		case word[1] == '-':
			if !strings.Contains(word, "=") {
				return nil, false
			}
		case len(word) == 2 && strings.IndexByte(valued, word[1]) >= 0:
			i++
		}
	}
	if name == "timeout" {
		i++
	}
	if i >= len(args) {
		return nil, false
	}
	return args[i:], true
}

// wrapper follows the command behind a wrapper.
func (r *shellRun) wrapper(name string, call *syntax.CallExpr, inner []*syntax.Word, in states, env *shellEnv) states {
	for path.Base(name) == "env" && len(inner) > 0 {
		variable, _, ok := strings.Cut(literal(inner[0]), "=")
		if !ok {
			break
		}
		r.changesEnvironment(variable, true)
		inner = inner[1:]
	}
	if len(inner) == 0 {
		return r.anything(in)
	}
	sub := &syntax.CallExpr{Args: inner}
	out := r.call(sub, in, env)
	if path.Base(name) != "exec" {
		return out
	}
	return out.each(func(s state, out states) { out.exit(s) })
}

// shellScript is the script that args hand to a shell with -c, and what the
// shell's own options say of it.
func shellScript(args []*syntax.Word) (script string, flags []string, ok bool) {
	if !slices.Contains([]string{"bash", "sh", "dash", "zsh", "ksh"}, path.Base(literal(args[0]))) {
		return "", nil, false
	}
	words, known := literals(args[1:])
	if !known {
		return "", nil, false
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word[0] != '-' && word[0] != '+' || strings.HasPrefix(word, "--") {
			return "", nil, false
		}
		flags = append(flags, word)
		if strings.HasSuffix(word, "o") && i+1 < len(words) {
			i++
			flags = append(flags, words[i])
		}
		if strings.Contains(word, "c") && word[0] == '-' {
			if i+1 < len(words) {
				return words[i+1], flags, true
			}
			return "", nil, false
		}
	}
	return "", nil, false
}

// script follows a script in a shell of its own.
func (r *shellRun) script(script string, flags []string, in states, env *shellEnv) states {
	file, err := parseBash(script)
	if err != nil || r.depth >= maxShellDepth {
		r.mentioned = r.mentioned || strings.Contains(script, r.verifier)
		r.spoil("a script within the line cannot be read")
		return r.anything(in)
	}
	inner := *r
	inner.text, inner.depth, inner.names = script, r.depth+1, map[string]int{}
	sub := shellEnv{dir: env.dir}
	for i, flag := range flags {
		if strings.HasSuffix(flag, "o") && i+1 < len(flags) {
			inner.option(flags[i+1], flag[0] == '-', &sub)
		}
		if flag[0] == '-' && strings.Contains(flag, "e") && !strings.HasPrefix(flag, "-o") {
			sub.errexit = true
		}
	}
	if normalise(script) == r.verifier {
		inner.all = true
		inner.found(env.dir)
	}
	out := inner.subshell(in, func(s states) states { return inner.list(file.Stmts, always(s, 0), &sub) })
	text, names, all, depth := r.text, r.names, r.all, r.depth
	*r = inner
	r.text, r.names, r.all, r.depth = text, names, all, depth
	return out
}
