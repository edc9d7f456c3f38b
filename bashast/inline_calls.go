package bashast

import "strings"

// apply adds the effect of a call that a rule speaks of. name is that of the
// function, i its token, args its arguments.
func (s *codeScanner) apply(rule callRule, name string, i int, args []tokenSpan) {
	text, self := strings.CutPrefix(string(rule), "self:")
	positional := s.positional(args)
	if self {
		s.onSelf(text, name, i, positional, args)
		return
	}
	first := s.argValue(positional, 0)
	switch text {
	case "safe":
	case "opaque":
		s.out = append(s.out, opaque("it calls "+name))
	case "shell":
		if len(positional) > 0 {
			s.shell(positional, args)
		}
	case "spawn":
		s.spawn(positional, args)
	case "spawnlist":
		s.spawnList(positional, args)
	case "code":
		s.nested(first, len(positional) > 0)
	case "import":
		s.importCall(first, positional)
	case "getattr":
		s.attribute(s.argValue(positional, 1), name)
	case "open":
		s.open(first, s.mode(positional, args), name)
	case "cd":
		s.moved = true
		s.effect(Read, first, false)
	case "perlopen":
		s.perlOpen(positional)
	case "exec":
		s.effect(Execute, first, false)
	case "net", "send":
		s.out = append(s.out, finding{kind: findEffect, effect: Network, value: first, send: text == "send" || s.sends(args)})
	default:
		s.paths(text, positional)
	}
}

// paths adds what a call does to the paths that are its arguments.
func (s *codeScanner) paths(effect string, args []tokenSpan) {
	effect, deep := strings.CutSuffix(effect, "/")
	first := s.argValue(args, 0)
	switch effect {
	case "read":
		s.effect(Read, first, deep)
	case "write":
		s.effect(Write, first, deep)
	case "writelast":
		s.effect(Write, s.argValue(args, len(args)-1), deep)
	case "delete":
		s.effect(Delete, first, deep)
	case "deletes":
		for k := range args {
			s.effect(Delete, s.argValue(args, k), deep)
		}
	case "chmod":
		s.effect(Chmod, first, deep)
	case "chmodlast":
		s.effect(Chmod, s.argValue(args, len(args)-1), deep)
	case "move":
		s.effect(Read, first, true)
		s.effect(Delete, first, true)
		s.effect(Write, s.argValue(args, 1), deep)
	case "copy":
		s.effect(Read, first, deep)
		s.effect(Write, s.argValue(args, 1), deep)
	}
}

// positional leaves out keyword arguments.
func (s *codeScanner) positional(args []tokenSpan) []tokenSpan {
	var out []tokenSpan
	for _, a := range args {
		a = s.trim(a)
		if s.at(a.from).kind == tokenName && s.isOp(a.from+1, "=") {
			continue
		}
		out = append(out, a)
	}
	return out
}

func (s *codeScanner) argValue(args []tokenSpan, n int) Value {
	if n < 0 || n >= len(args) {
		return Unknown("an argument that is not there")
	}
	v := s.value(args[n])
	if v.Kind() == UnknownKind {
		return Unknown("the program computes it")
	}
	return v
}

// keyword is the value of a keyword argument or of a key of an object.
func (s *codeScanner) keyword(args []tokenSpan, name string) (tokenSpan, bool) {
	for _, a := range args {
		for i := a.from; i+1 < a.to; i++ {
			if s.isName(i, name) && (s.isOp(i+1, "=") || s.isOp(i+1, ":") || s.isOp(i+1, "=>")) {
				return tokenSpan{i + 2, s.rightSide(i + 2).to}, true
			}
		}
	}
	return tokenSpan{}, false
}

func (s *codeScanner) truthy(args []tokenSpan, name string) bool {
	r, ok := s.keyword(args, name)
	return ok && !s.isName(s.trim(r).from, "False", "false", "None", "null", "undefined")
}

// effect adds an effect on a path. A program that changes its directory makes
// relative paths unknown.
func (s *codeScanner) effect(kind EffectKind, v Value, deep bool) {
	if s.moved && !strings.HasPrefix(v.Prefix(), "/") && !strings.HasPrefix(v.Prefix(), "~") {
		v = Unknown("the program changes its directory")
	}
	if kind == Read && v.Kind() == UnknownKind {
		return
	}
	s.out = append(s.out, finding{kind: findEffect, effect: kind, value: v, deep: deep})
}

// shell is a call that hands its argument to a shell, or several to a program.
func (s *codeScanner) shell(positional, args []tokenSpan) {
	if len(positional) > 1 && s.lang.bare {
		s.spawn(positional, args)
		return
	}
	if items, ok := s.list(positional[0]); ok {
		s.argv(items)
		return
	}
	s.out = append(s.out, shellFinding(s.argValue(positional, 0)))
}

// spawn is subprocess.run(list or text), child_process.spawn(program, list),
// system(program, args…).
func (s *codeScanner) spawn(positional, args []tokenSpan) {
	if len(positional) == 0 {
		if r, ok := s.keyword(args, "args"); ok {
			positional = []tokenSpan{r}
		} else {
			s.out = append(s.out, opaque("it starts a program that is not known"))
			return
		}
	}
	shell := s.truthy(args, "shell")
	if items, ok := s.list(positional[0]); ok {
		s.started(items, shell)
		return
	}
	first := s.argValue(positional, 0)
	words := []Value{first}
	for _, a := range positional[1:] {
		if items, ok := s.list(a); ok {
			words = append(words, items...)
			break
		}
		if s.lang.bare {
			words = append(words, s.value(a))
		}
	}
	if s.lang.bare && len(words) == 1 {
		shell = true
	}
	s.started(words, shell)
}

// spawnList is a call whose first argument is a program and whose second is
// the list of its words, or whose further arguments are its words (os.exec…).
func (s *codeScanner) spawnList(positional, args []tokenSpan) {
	if len(positional) < 2 {
		s.spawn(positional, args)
		return
	}
	if items, ok := s.list(positional[1]); ok {
		if len(items) > 0 {
			items[0] = s.argValue(positional, 0)
		}
		s.argv(items)
		return
	}
	words := []Value{s.argValue(positional, 0)}
	for _, a := range positional[min(2, len(positional)):] {
		words = append(words, s.value(a))
	}
	s.argv(words)
}

func (s *codeScanner) started(words []Value, shell bool) {
	if !shell {
		s.argv(words)
		return
	}
	v := words[0]
	for _, w := range words[1:] {
		v = Concat(Concat(v, Known(" ")), w)
	}
	s.out = append(s.out, shellFinding(v))
}

func (s *codeScanner) argv(words []Value) {
	if len(words) == 0 || !words[0].Resolved() {
		s.out = append(s.out, opaque("it starts a program that is not known"))
		return
	}
	s.out = append(s.out, finding{kind: findArgv, words: words})
}

// list are the values of a list literal.
func (s *codeScanner) list(r tokenSpan) ([]Value, bool) {
	r = s.trim(r)
	if !s.isOp(r.from, "[") || s.closing(r.from) != r.to-1 {
		return nil, false
	}
	var items []Value
	for _, item := range s.split(r.from+1, r.to-1) {
		v := s.value(item)
		if v.Kind() == UnknownKind {
			v = Unknown("the program computes it")
		}
		items = append(items, v)
	}
	return items, true
}

// nested is eval of a text.
func (s *codeScanner) nested(v Value, given bool) {
	switch {
	case !given:
	case v.Resolved():
		s.out = append(s.out, finding{kind: findCode, lang: s.lang.key, value: v})
	default:
		s.out = append(s.out, opaque("it runs a text that is computed as code"))
	}
}

// importCall is require(x) or __import__(x): a computed name may be anything.
func (s *codeScanner) importCall(v Value, args []tokenSpan) {
	text, ok := v.Text()
	switch {
	case len(args) == 0:
	case !ok || s.lang.modules[moduleName(text)] && args[0].to-args[0].from > 1:
		s.out = append(s.out, opaque("it loads a module that is computed"))
	case strings.HasPrefix(text, "/") || strings.HasPrefix(text, "."):
		s.effect(Read, v, false)
		if strings.HasPrefix(text, "/") {
			s.effect(Execute, v, false)
		}
	}
}

// attribute is getattr(x, name) and send(name): a name that is a danger, or
// is computed, hides what is called.
func (s *codeScanner) attribute(v Value, name string) {
	text, ok := v.Text()
	if !ok {
		s.out = append(s.out, opaque("it calls what "+name+" finds by a computed name"))
		return
	}
	_, called := s.lang.calls["."+text]
	_, plain := s.lang.calls["os."+text]
	if called || plain || s.lang.danger[text] || s.lang.danger["."+text] {
		s.out = append(s.out, opaque("it reaches "+text+" by its name"))
	}
}

// mode is the mode of open(path, mode), or of path.open(mode) with no path.
func (s *codeScanner) mode(positional, args []tokenSpan) Value {
	if r, ok := s.keyword(args, "mode"); ok {
		return s.value(r)
	}
	if len(positional) > 1 {
		return s.argValue(positional, 1)
	}
	return Known("r")
}

// open is a call that opens a file in a mode.
func (s *codeScanner) open(path, mode Value, _ string) {
	if command, ok := behind(path, "|"); ok && s.lang.name == "ruby" {
		s.out = append(s.out, shellFinding(command))
		return
	}
	text, known := mode.Text()
	if known && !strings.ContainsAny(text, "wax+") {
		s.effect(Read, path, false)
		return
	}
	if !known && path.Kind() == UnknownKind {
		s.effect(Read, path, false)
		return
	}
	s.effect(Write, path, false)
}

// perlOpen is open(F, "<x"), open(F, "<", "x"), open(F, "-|", "cmd").
func (s *codeScanner) perlOpen(args []tokenSpan) {
	if len(args) < 2 {
		return
	}
	mode := s.argValue(args, 1)
	if len(args) == 2 {
		s.perlOpenText(mode)
		return
	}
	text, ok := mode.Text()
	target := s.argValue(args, 2)
	switch {
	case !ok:
		s.out = append(s.out, opaque("it opens a file in a way that is computed"))
	case strings.Contains(text, "|"):
		words := []Value{target}
		for _, a := range args[3:] {
			words = append(words, s.value(a))
		}
		s.started(words, len(words) == 1)
	case strings.Contains(text, ">") || strings.Contains(text, "+"):
		s.effect(Write, target, false)
	default:
		s.effect(Read, target, false)
	}
}

func (s *codeScanner) perlOpenText(v Value) {
	text := strings.TrimSpace(v.Prefix())
	whole, known := v.Text()
	switch {
	case strings.HasPrefix(text, "|"):
		command, _ := behind(v, "|")
		s.out = append(s.out, shellFinding(command))
	case known && strings.HasSuffix(strings.TrimSpace(whole), "|"):
		s.out = append(s.out, shellFinding(Known(strings.TrimSuffix(strings.TrimSpace(whole), "|"))))
	case strings.HasPrefix(text, ">") || strings.HasPrefix(text, "+<"):
		file := cutPrefix(v, len(text)-len(strings.TrimLeft(text, "+<> ")))
		s.effect(Write, file, false)
	case !known && strings.TrimLeft(text, "< ") == "" && !strings.HasPrefix(text, "<"):
		s.out = append(s.out, opaque("it opens what is computed, which may be a command"))
	default:
		s.effect(Read, cutPrefix(v, len(text)-len(strings.TrimLeft(text, "< "))), false)
	}
}

// onSelf is a method whose path is what it is called on. Where that is not
// known, a method whose name means other things as well (rename, open) is let
// pass; one that is only ever a path's is an effect on an unknown path.
func (s *codeScanner) onSelf(effect, _ string, i int, positional, args []tokenSpan) {
	effect, vague := strings.CutPrefix(effect, "?")
	receiver, found := s.receiver(i)
	if vague && (!found || receiver.Kind() == UnknownKind) {
		return
	}
	if receiver.Kind() == UnknownKind {
		receiver = Unknown("the program computes it")
	}
	switch effect {
	case "open":
		mode := Known("r")
		if len(positional) > 0 {
			mode = s.argValue(positional, 0)
		} else if r, ok := s.keyword(args, "mode"); ok {
			mode = s.value(r)
		}
		s.open(receiver, mode, "")
	case "read":
		s.effect(Read, receiver, false)
	case "write":
		s.effect(Write, receiver, false)
	case "delete":
		s.effect(Delete, receiver, false)
	case "chmod":
		s.effect(Chmod, receiver, false)
	case "move":
		s.effect(Read, receiver, true)
		s.effect(Delete, receiver, true)
		s.effect(Write, s.argValue(positional, 0), false)
	}
}

// receiver is the value of what the method at token i is called on.
func (s *codeScanner) receiver(i int) (Value, bool) {
	name := s.at(i).text
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		v, ok := s.vars[strings.TrimLeft(name[:dot], "$@%")]
		return v, ok
	}
	if s.isOp(i-1, ")") {
		depth := 0
		for j := i - 1; j >= 0; j-- {
			if s.isOp(j, ")") {
				depth++
			}
			if s.isOp(j, "(") {
				depth--
			}
			if depth == 0 {
				from := j
				if s.at(j-1).kind == tokenName && j > 0 {
					from = j - 1
				}
				if name := s.at(from); strings.HasPrefix(name.text, ".") && name.kind == tokenName {
					return Value{}, false
				}
				return s.value(tokenSpan{from, i}), true
			}
		}
	}
	if s.at(i-1).kind == tokenString {
		return s.at(i - 1).value, true
	}
	return Value{}, false
}

// sends reports whether a request has a body or a method that sends one.
func (s *codeScanner) sends(args []tokenSpan) bool {
	for _, key := range []string{"data", "body", "json", "files", "content"} {
		if _, ok := s.keyword(args, key); ok {
			return true
		}
	}
	if r, ok := s.keyword(args, "method"); ok {
		text, known := s.value(r).Text()
		return !known || !isOneOf(strings.ToUpper(text), "GET", "HEAD", "OPTIONS")
	}
	return false
}
