package bashast

import "strings"

// imports finds what names stand for: import a as b, from a import b as c,
// const b = require('a'), const {c: d} = require('a'), import {c} from 'a'.
func (s *codeScanner) imports() {
	for i := range s.tokens {
		switch {
		case s.lang.name == "python" && s.isName(i, "import"):
			s.pythonImport(i)
		case s.lang.name == "javascript" && s.isName(i, "require", "import"):
			s.scriptImport(i)
		}
	}
}

// pythonImport reads one import statement.
func (s *codeScanner) pythonImport(i int) {
	module := ""
	if s.isName(i-2, "from") {
		module = s.at(i-1).text + "."
		s.at(i - 1).used = true
	}
	for j := i + 1; j < len(s.tokens); j++ {
		t := s.at(j)
		if t.kind == tokenOp {
			if t.text == "*" && module != "" {
				s.importAll(module)
			}
			if t.text == "," || t.text == "(" || t.text == "\n" && s.isOp(i+1, "(") {
				continue
			}
			return
		}
		t.used = true
		name := t.text
		if s.isName(j+1, "as") {
			s.alias[s.at(j+2).text] = module + name
			s.at(j + 2).used = true
			j += 2
			continue
		}
		if module != "" {
			s.alias[name] = module + name
		}
	}
}

// importAll is from module import *: all that rules speak of has its name.
func (s *codeScanner) importAll(module string) {
	for name := range s.lang.calls {
		if rest, ok := strings.CutPrefix(name, module); ok && !strings.Contains(rest, ".") {
			s.alias[rest] = name
		}
	}
}

// scriptImport reads a require or an import of JavaScript.
func (s *codeScanner) scriptImport(i int) {
	if s.isOp(i+1, "(") {
		s.requireCall(i)
		return
	}
	j := i + 1
	for j < len(s.tokens) && s.at(j).kind != tokenString && !s.isOp(j, ";") && !s.isOp(j, "\n") {
		j++
	}
	text, ok := s.at(j).value.Text()
	if s.at(j).kind != tokenString || !ok {
		return
	}
	s.at(j).used = true
	s.bindNames(i+1, j, moduleName(text))
}

// requireCall is require('m'), with what is on its left.
func (s *codeScanner) requireCall(i int) {
	text, ok := s.at(i + 2).value.Text()
	if s.at(i+2).kind != tokenString || !ok || !s.isOp(i+3, ")") {
		return
	}
	if !s.lang.modules[moduleName(text)] {
		s.at(i + 2).used = true
	}
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") {
		s.out = append(s.out, pathFinding(Read, text))
	}
	module := moduleName(text)
	member := s.at(i + 4)
	if member.kind == tokenName && strings.HasPrefix(member.text, ".") && !s.isOp(i+5, "(") && !s.lang.modules[module] {
		member.used = true
		module += member.text
		module = strings.TrimSuffix(module, ".promises")
	}
	eq := i - 1
	if s.isName(eq, "await") {
		eq--
	}
	if !s.isOp(eq, "=") {
		return
	}
	s.at(i + 2).used = true
	start := eq - 1
	if s.isOp(start, "}") {
		for start > 0 && !s.isOp(start, "{") {
			start--
		}
	}
	s.bindNames(start, eq, module)
}

// bindNames lets the names between two tokens stand for parts of a module:
// {a, b: c, d as e}, * as f, g.
func (s *codeScanner) bindNames(from, to int, module string) {
	inside := false
	for j := from; j < to; j++ {
		t := s.at(j)
		switch {
		case s.isOp(j, "{"):
			inside = true
		case s.isOp(j, "}"):
			inside = false
		case t.kind != tokenName || isOneOf(t.text, "as", "from", "const", "let", "var", "type"):
		case inside && (s.isOp(j+1, ":") || s.isName(j+1, "as")):
			t.used = true
			s.alias[s.at(j+2).text] = memberOf(module, t.text)
			s.at(j + 2).used = true
			j += 2
		case inside:
			t.used = true
			s.alias[t.text] = memberOf(module, t.text)
		default:
			t.used = true
			s.alias[t.text] = module
		}
	}
}

func memberOf(module, name string) string {
	if name == "promises" || name == "default" {
		return module
	}
	return module + "." + name
}

// bindings finds the variables whose values are known: those that are only
// ever given values that are.
func (s *codeScanner) bindings() {
	poisoned := map[string]bool{}
	s.parameters(poisoned)
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.kind != tokenName {
			continue
		}
		name := strings.TrimLeft(t.text, "$@%")
		switch {
		case s.isOp(i+1, "=") && s.statement(i):
			s.bind(name, s.value(s.rightSide(i+2)), poisoned)
		case s.isOp(i+1, "=") && !s.isOp(i-1, "(") && !s.isOp(i-1, ","),
			s.at(i+1).kind == tokenOp && isOneOf(s.at(i+1).text, "+=", ".=", "-=", ":=", "++", "--", "<<", "??=", "||="):
			poisoned[name] = true
		case s.isName(i-1, "for", "foreach") || s.isOp(i-1, "(") && s.isName(i-2, "for") || s.isName(i-1, "const", "let", "var", "my") && s.isOp(i-2, "(") || s.isName(i-1, "my") && s.isName(i-2, "for", "foreach"):
			s.loop(i, name, poisoned)
		case s.isName(i+1, "in", "of") && s.isOp(i-1, ","), s.isName(i-1, "as", "except", "catch"):
			poisoned[name] = true
		}
	}
	for name := range poisoned {
		delete(s.vars, name)
	}
}

// bind joins one more value to those that a variable has.
func (s *codeScanner) bind(name string, v Value, poisoned map[string]bool) {
	if v.Kind() == UnknownKind {
		poisoned[name] = true
		return
	}
	if old, ok := s.vars[name]; ok {
		v = Join(old, v)
	}
	s.vars[name] = v
}

// rightSide is the expression that begins at token i, up to the end of the
// statement.
func (s *codeScanner) rightSide(i int) tokenSpan {
	depth := 0
	for j := i; j < len(s.tokens); j++ {
		if s.tokens[j].kind != tokenOp {
			continue
		}
		switch s.tokens[j].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return tokenSpan{i, j}
			}
		case ";", "\n":
			if depth == 0 {
				return tokenSpan{i, j}
			}
		case ",":
			if depth == 0 {
				return tokenSpan{i, j}
			}
		}
	}
	return tokenSpan{i, len(s.tokens)}
}

// loop is for name in list, for (const name of list), foreach my $name (list).
func (s *codeScanner) loop(i int, name string, poisoned map[string]bool) {
	from := i + 2
	if !s.isName(i+1, "in", "of") {
		from = i + 1
		if !s.isOp(from, "(") {
			poisoned[name] = true
			return
		}
	}
	end := from
	for depth := 0; end < len(s.tokens); end++ {
		t := s.at(end)
		if t.kind != tokenOp {
			continue
		}
		if isOneOf(t.text, "(", "[", "{") && (depth > 0 || t.text != "{") {
			depth++
		} else if isOneOf(t.text, ")", "]", "}") {
			if depth--; depth < 0 {
				break
			}
		} else if depth == 0 && isOneOf(t.text, ":", "\n", ";", "{") {
			break
		}
	}
	s.bind(name, s.elements(tokenSpan{from, end}), poisoned)
}

// elements is what each element of a list expression is.
func (s *codeScanner) elements(r tokenSpan) Value {
	r = s.trim(r)
	if r.from >= r.to {
		return Value{}
	}
	if (s.isOp(r.from, "[") || s.isOp(r.from, "(")) && s.closing(r.from) == r.to-1 {
		items := s.split(r.from+1, r.to-1)
		if len(items) == 0 {
			return Value{}
		}
		v := s.value(items[0])
		for _, item := range items[1:] {
			v = Join(v, s.value(item))
		}
		return v
	}
	if s.isName(r.from, "sorted", "list", "set", "reversed") && s.isOp(r.from+1, "(") {
		return s.elements(tokenSpan{r.from + 2, s.closing(r.from + 1)})
	}
	if v := s.value(r); v.Below() || s.isName(r.from) {
		return v
	}
	return Value{}
}

// parameters are names that functions are called with: their values come from
// elsewhere.
func (s *codeScanner) parameters(poisoned map[string]bool) {
	mark := func(from, to int) {
		for j := from; j < to; j++ {
			if t := s.at(j); t.kind == tokenName {
				poisoned[strings.TrimLeft(t.text, "$@%")] = true
			}
		}
	}
	for i := range s.tokens {
		switch {
		case s.isName(i, "def", "function", "fn", "sub", "lambda"):
			j := i + 1
			for j < len(s.tokens) && j < i+3 && !s.isOp(j, "(") && !s.isName(i, "lambda") {
				j++
			}
			switch {
			case s.isName(i, "lambda"):
				for j < len(s.tokens) && !s.isOp(j, ":") {
					j++
				}
				mark(i+1, j)
			case s.isOp(j, "("):
				mark(j+1, s.closing(j))
			}
		case s.isOp(i, "=>") && s.at(i-1).kind == tokenName:
			mark(i-1, i)
		case s.isOp(i, "=>") && s.isOp(i-1, ")"):
			j := i - 1
			for depth := 0; j >= 0; j-- {
				if s.isOp(j, ")") {
					depth++
				}
				if s.isOp(j, "(") {
					if depth--; depth == 0 {
						break
					}
				}
			}
			mark(j, i)
		case s.isOp(i, "|") && s.isOp(i-1, "{") || s.isOp(i, "|") && s.isName(i-1, "do"):
			j := i + 1
			for j < len(s.tokens) && !s.isOp(j, "|") {
				j++
			}
			mark(i+1, j)
		}
	}
}

// value is what is known of the expression in r.
func (s *codeScanner) value(r tokenSpan) Value {
	r = s.trim(r)
	for r.to-r.from > 2 && s.isOp(r.from, "(") && s.closing(r.from) == r.to-1 {
		r = s.trim(tokenSpan{r.from + 1, r.to - 1})
	}
	if s.isName(r.from, "await", "new") {
		r.from++
	}
	if r.from >= r.to {
		return Value{}
	}
	if parts := s.operands(r, "+", ".", "..", "<>"); len(parts) > 1 {
		v := s.value(parts[0])
		for _, p := range parts[1:] {
			v = Concat(v, s.value(p))
		}
		return v
	}
	if parts := s.operands(r, "/"); len(parts) > 1 {
		v := s.value(parts[0])
		for _, p := range parts[1:] {
			v = joinValues(v, s.value(p))
		}
		return v
	}
	return s.term(r)
}

// operands splits r at the operators of the given kind outside brackets.
func (s *codeScanner) operands(r tokenSpan, ops ...string) []tokenSpan {
	var parts []tokenSpan
	depth, start := 0, r.from
	for i := r.from; i < r.to; i++ {
		t := s.at(i)
		if t.kind != tokenOp {
			continue
		}
		switch {
		case isOneOf(t.text, "(", "[", "{"):
			depth++
		case isOneOf(t.text, ")", "]", "}"):
			depth--
		case depth == 0 && isOneOf(t.text, ops...):
			parts = append(parts, tokenSpan{start, i})
			start = i + 1
		}
	}
	return append(parts, tokenSpan{start, r.to})
}

// joinValues is a path a with b behind it.
func joinValues(a, b Value) Value {
	if strings.HasPrefix(b.Prefix(), "/") {
		return b
	}
	if a.Kind() == UnknownKind {
		return Value{}
	}
	if p := a.Prefix(); a.Kind() == KnownKind && (p == "" || strings.HasSuffix(p, "/")) {
		return Concat(a, b)
	}
	return Concat(Concat(a, Known("/")), b)
}

// term is the value of a string, a variable, an argument, or a call that
// makes a path.
func (s *codeScanner) term(r tokenSpan) Value {
	t := s.at(r.from)
	switch t.kind {
	case tokenString:
		v := t.value
		i := r.from + 1
		for ; i < r.to && s.at(i).kind == tokenString; i++ {
			v = Concat(v, s.at(i).value)
		}
		if i == r.to {
			return v
		}
		if s.isOp(i, interpolated) {
			return v
		}
		return Value{}
	case tokenName:
		return s.nameValue(r)
	}
	return Value{}
}

func (s *codeScanner) nameValue(r tokenSpan) Value {
	name := s.resolve(s.at(r.from).text)
	if r.to == r.from+1 {
		if v, ok := s.vars[strings.TrimLeft(name, "$@%")]; ok {
			return v
		}
		return namedPlace(name)
	}
	if isOneOf(name, "sys.argv", "process.argv", "$ARGV", "ARGV", "$argv", "Bun.argv", "Deno.args") && s.isOp(r.from+1, "[") {
		return s.argument(name, r)
	}
	if s.isOp(r.from+1, "(") && s.closing(r.from+1) < r.to {
		end := s.closing(r.from + 1)
		v := s.pathCall(name, s.split(r.from+2, end))
		if end == r.to-1 {
			return v
		}
		if m := s.at(end + 1); m.kind == tokenName && strings.HasPrefix(m.text, ".") {
			return s.methodValue(v, m.text, end+1, r.to)
		}
		return Value{}
	}
	if strings.Contains(name, ".") && s.isOp(r.from+1, "(") {
		return Value{}
	}
	return Value{}
}

// namedPlace is a directory that a name without a call stands for.
func namedPlace(name string) Value {
	switch name {
	case "os.curdir", "__dirname", "import.meta.dirname":
		return Known(".")
	case "os.devnull":
		return Known("/dev/null")
	}
	return Value{}
}

// argument is sys.argv[1] and the like, of which the line knows the words.
func (s *codeScanner) argument(name string, r tokenSpan) Value {
	if s.at(r.from+2).kind != tokenNumber || !s.isOp(r.from+3, "]") || r.to != r.from+4 || len(s.args) < 2 {
		return Value{}
	}
	if len(s.args) == 2 && isOneOf(name, "sys.argv", "process.argv") {
		return s.args[1]
	}
	v := s.args[1]
	for _, a := range s.args[2:] {
		v = Join(v, a)
	}
	return v
}

// pathCall is the value of a call that makes a path.
func (s *codeScanner) pathCall(name string, args []tokenSpan) Value {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && isOneOf(name[dot:], ".joinpath", ".resolve", ".absolute", ".expanduser", ".with_suffix", ".rglob", ".glob", ".iterdir", ".open") {
		if v, ok := s.vars[name[:dot]]; ok {
			return s.method(v, name[dot:], args)
		}
	}
	switch name {
	case "Path", "pathlib.Path", "str", "String", "os.fspath", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.path.expanduser", "Path.new", "Pathname.new", "Pathname", "pathlib.PurePath", "path.normalize", "File.expand_path", "url.fileURLToPath", "URL":
		if len(args) == 1 {
			return s.value(args[0])
		}
		return s.joined(args)
	case "os.path.join", "path.join", "path.resolve", "File.join", "join", "posixpath.join", "catfile", "File.Spec.catfile":
		return s.joined(args)
	case "Path.home", "pathlib.Path.home", "os.homedir", "Dir.home":
		return Known("~")
	case "os.getcwd", "process.cwd", "Path.cwd", "pathlib.Path.cwd", "Dir.pwd":
		return Known(".")
	case "glob.glob", "glob.iglob", "Dir.glob", "Dir", "glob", "fg.sync", "globSync":
		if len(args) > 0 {
			return globValue(s.value(args[0]))
		}
	}
	return Value{}
}

func (s *codeScanner) joined(args []tokenSpan) Value {
	if len(args) == 0 {
		return Value{}
	}
	v := s.value(args[0])
	for _, a := range args[1:] {
		v = joinValues(v, s.value(a))
	}
	return v
}

// globValue is a path that matches a pattern.
func globValue(pattern Value) Value {
	text, ok := pattern.Text()
	if !ok {
		return Value{}
	}
	first := strings.IndexAny(text, "*?[{")
	if first < 0 {
		return pattern
	}
	dir := "./"
	if i := strings.LastIndexByte(text[:first], '/'); i >= 0 {
		dir = text[:i+1]
	}
	return Glob(dir, text[strings.LastIndexAny(text, "*?]}")+1:], "a file that a pattern finds")
}

// methodValue is the value of a method of v, whose name is token i.
func (s *codeScanner) methodValue(v Value, name string, i, to int) Value {
	if !s.isOp(i+1, "(") {
		if isOneOf(name, ".parent", ".path") && i+1 == to {
			return v
		}
		return Value{}
	}
	end := s.closing(i + 1)
	out := s.method(v, name, s.split(i+2, end))
	if end == to-1 {
		return out
	}
	if m := s.at(end + 1); m.kind == tokenName && strings.HasPrefix(m.text, ".") {
		return s.methodValue(out, m.text, end+1, to)
	}
	return Value{}
}

func (s *codeScanner) method(v Value, name string, args []tokenSpan) Value {
	switch name {
	case ".joinpath":
		for _, a := range args {
			v = joinValues(v, s.value(a))
		}
		return v
	case ".resolve", ".absolute", ".expanduser":
		return v
	case ".iterdir", ".rglob", ".glob":
		text, ok := v.Text()
		if !ok {
			return Value{}
		}
		suffix := ""
		if len(args) > 0 {
			pattern, ok := s.value(args[0]).Text()
			if !ok || strings.Contains(pattern, "..") {
				return Value{}
			}
			suffix = pattern[strings.LastIndexAny(pattern, "*?]")+1:]
		}
		return belowDir(text, suffix, "a file that a pattern finds")
	}
	return Value{}
}
