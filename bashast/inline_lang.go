package bashast

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// languageData holds what is known of the languages of inline programs: how
// they are written and what their functions do; see language.
//
//go:embed data/languages.json
var languageData []byte

// languages finds a language by name.
var languages = sync.OnceValue(func() map[string]func() *language {
	all := map[string]func() *language{}
	gjson.ParseBytes(languageData).ForEach(func(key, v gjson.Result) bool {
		compiled := sync.OnceValue(func() *language { return compileLanguage(strings.Fields(key.Str)[0], v) })
		for _, name := range strings.Fields(key.Str) {
			all[name] = compiled
		}
		return true
	})
	return all
})

func languageOf(name string) *language {
	if l := languages()[name]; l != nil {
		return l()
	}
	return nil
}

// language is a language whose programs are scanned (B5). Scanning is no
// reading: what it finds are calls by name. In the JSON:
//
//	why      for a person
//	lexer    how it is written, one of the lexicons
//	calls    from an effect to the functions that have it: os.remove is the
//	         function of a module, .unlink a method of anything, *rmSync a
//	         function or method of that name, plain names are functions
//	danger   names that are not let pass where no call of them was understood
//	modules  modules whose name alone, handed on, is such a danger
//	harmless names that the rest would take for a danger
type language struct {
	lexicon
	key      string // the name of the language
	name     string // the name of its lexicon
	calls    map[string]callRule
	danger   map[string]bool
	modules  map[string]bool
	harmless map[string]bool
}

// callRule is the effect of a call: one of the words that callEffect knows,
// with self: in front where the path is what the method is called on.
type callRule string

func compileLanguage(key string, v gjson.Result) *language {
	l := &language{
		key: key, name: v.Get("lexer").Str, lexicon: lexiconOf(v.Get("lexer").Str),
		calls: map[string]callRule{}, danger: map[string]bool{},
		modules: map[string]bool{}, harmless: map[string]bool{},
	}
	v.Get("calls").ForEach(func(effect, names gjson.Result) bool {
		for _, n := range strings.Fields(names.Str) {
			l.calls[n] = callRule(effect.Str)
		}
		return true
	})
	for _, set := range []struct {
		key string
		in  map[string]bool
	}{{"danger", l.danger}, {"modules", l.modules}, {"harmless", l.harmless}} {
		for _, n := range strings.Fields(v.Get(set.key).Str) {
			set.in[n] = true
		}
	}
	return l
}

func lexiconOf(name string) lexicon {
	switch name {
	case "python":
		return lexicon{comments: []string{"#"}, quotes: `'"`, triple: true, prefixes: "rbuf", mark: '{'}
	case "javascript":
		return lexicon{comments: []string{"//"}, block: true, quotes: "'\"`", interp: "`", mark: '$', regex: true}
	case "perl":
		return lexicon{comments: []string{"#"}, quotes: `'"`, interp: `"`, mark: '$', sigils: "$@%&", ticks: true, regex: true, letters: true, bare: true}
	case "ruby":
		return lexicon{comments: []string{"#"}, quotes: `'"`, interp: `"`, mark: '#', sigils: "$@", ticks: true, regex: true, percent: true, bare: true}
	case "php":
		return lexicon{comments: []string{"//", "#"}, block: true, quotes: `'"`, interp: `"`, mark: '$', sigils: "$", ticks: true, bare: true}
	case "lua":
		return lexicon{comments: []string{"--"}, quotes: `'"`, bare: true}
	}
	return lexicon{comments: []string{"#"}, quotes: `'"`}
}

// scan finds what a program does.
func (lang *language) scan(text string, args []Value) []finding {
	lex := codeLexer{lexicon: lang.lexicon, text: text}
	tokens := lex.run()
	if len(tokens) > maxCodeTokens {
		return []finding{opaque("its program text is longer than what is read")}
	}
	s := codeScanner{lang: lang, tokens: tokens, args: args, vars: map[string]Value{}, alias: map[string]string{}}
	s.imports()
	s.bindings()
	for i := 0; i < len(s.tokens); i++ {
		s.token(i)
	}
	s.dangers()
	return s.out
}

// codeScanner holds the state of one scan.
type codeScanner struct {
	lang   *language
	tokens []codeToken
	args   []Value
	// vars holds the variables whose values are known; alias what an
	// imported name stands for.
	vars  map[string]Value
	alias map[string]string
	// moved is true once the program changes its directory.
	moved bool
	out   []finding
}

func (s *codeScanner) at(i int) *codeToken {
	if i < 0 || i >= len(s.tokens) {
		return &codeToken{kind: tokenOp, text: "\n"}
	}
	return &s.tokens[i]
}

func (s *codeScanner) isOp(i int, text string) bool {
	t := s.at(i)
	return t.kind == tokenOp && t.text == text
}

func (s *codeScanner) isName(i int, names ...string) bool {
	t := s.at(i)
	return i >= 0 && t.kind == tokenName && isOneOf(t.text, names...)
}

// resolve is the full name of a token's name, aliases of imports replaced.
func (s *codeScanner) resolve(name string) string {
	first, rest, dotted := strings.Cut(name, ".")
	if full, ok := s.alias[first]; ok && first != "" {
		name = full
		if dotted {
			name = full + "." + rest
		}
	}
	if s.lang.name == "javascript" {
		name = strings.Replace(name, "fs.promises.", "fs.", 1)
		for _, global := range []string{"globalThis.", "global.", "window.", "self."} {
			name = strings.TrimPrefix(name, global)
		}
	}
	return name
}

// token looks at one token: a call whose effect is known, or a shell's text.
func (s *codeScanner) token(i int) {
	t := &s.tokens[i]
	switch t.kind {
	case tokenShell:
		s.out = append(s.out, shellFinding(t.value))
	case tokenName:
		if s.lang.key == "php" && t.text[0] == '$' && s.isOp(i+1, "(") {
			s.out = append(s.out, opaque("it calls a function by a name that is computed"))
		}
		if s.lang.name == "javascript" && (t.text == "$" || strings.HasSuffix(t.text, ".$")) && s.at(i+1).kind == tokenString {
			s.out = append(s.out, shellFinding(s.at(i+1).value))
		}
		if rule, name := s.ruleOf(i); rule != "" {
			args, ok := s.callArgs(i)
			if !ok {
				return
			}
			t.used = true
			if t.text[0] == '.' && s.moduleBefore(i) != "" {
				s.at(i - 2).used = true
			}
			s.apply(rule, name, i, args)
		}
	}
}

// ruleOf is the rule for the name at token i.
func (s *codeScanner) ruleOf(i int) (callRule, string) {
	name := s.resolve(s.tokens[i].text)
	if strings.HasPrefix(name, ".") {
		if module := s.moduleBefore(i); module != "" {
			name = s.resolve(module + name)
		}
	}
	if s.lang.harmless[name] {
		return "", ""
	}
	if rule, ok := s.lang.calls[name]; ok {
		return rule, name
	}
	dot := strings.LastIndexByte(name, '.')
	if dot >= 0 {
		if rule, ok := s.lang.calls[name[dot:]]; ok {
			return rule, name
		}
	}
	if rule, ok := s.lang.calls["*"+name[dot+1:]]; ok {
		return rule, name
	}
	return "", ""
}

// moduleBefore is the module in require('m').f or __import__('m').f, whose .f
// is token i.
func (s *codeScanner) moduleBefore(i int) string {
	if !s.isOp(i-1, ")") || s.at(i-2).kind != tokenString || !s.isOp(i-3, "(") || !s.isName(i-4, "require", "import", "__import__", "importlib.import_module") {
		return ""
	}
	text, ok := s.at(i - 2).value.Text()
	if !ok {
		return ""
	}
	return moduleName(text)
}

// moduleName is the name of a module without the ways to write it.
func moduleName(text string) string {
	text = strings.TrimPrefix(text, "node:")
	switch text {
	case "fs/promises", "fs-extra", "graceful-fs":
		return "fs"
	}
	return strings.ReplaceAll(text, "/", ".")
}

// span is a range of tokens.
type tokenSpan struct{ from, to int }

// callArgs are the arguments of the call of the name at token i; ok is false
// where it is no call.
func (s *codeScanner) callArgs(i int) ([]tokenSpan, bool) {
	j := i + 1
	if s.isOp(j, "(") {
		end := s.closing(j)
		return s.split(j+1, end), true
	}
	if s.isOp(j, "?.") && s.isOp(j+1, "(") {
		return s.split(j+2, s.closing(j+1)), true
	}
	if !s.lang.bare || s.at(j).kind == tokenOp && !isOneOf(s.at(j).text, "[", "-", "*", "{") {
		return nil, s.lang.bare && s.statement(i) && s.at(j).kind == tokenOp && isOneOf(s.at(j).text, "\n", ";", "}")
	}
	end := j
	for depth := 0; end < len(s.tokens); end++ {
		t := &s.tokens[end]
		if t.kind == tokenOp {
			if isOneOf(t.text, "(", "[", "{") {
				depth++
			}
			if isOneOf(t.text, ")", "]", "}") {
				depth--
			}
			if depth < 0 || depth == 0 && isOneOf(t.text, ";", "\n", "||", "&&") {
				break
			}
		}
		if depth == 0 && t.kind == tokenName && isOneOf(t.text, "or", "and", "if", "unless", "do", "for", "foreach", "while") {
			break
		}
	}
	return s.split(j, end), true
}

// statement reports whether token i begins a statement.
func (s *codeScanner) statement(i int) bool {
	p := s.at(i - 1)
	return p.kind == tokenOp && isOneOf(p.text, "\n", ";", "{", "}", ":", "=>", interpolated) ||
		p.kind == tokenName && isOneOf(p.text, "const", "let", "var", "my", "our", "local", "else", "do", "then", "await", "return", "export")
}

// closing is the index of the bracket that closes the one at token i.
func (s *codeScanner) closing(i int) int {
	depth := 0
	for ; i < len(s.tokens); i++ {
		if s.tokens[i].kind != tokenOp {
			continue
		}
		switch s.tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s.tokens)
}

// split divides the tokens from and up to end at the commas between them.
func (s *codeScanner) split(from, end int) []tokenSpan {
	var list []tokenSpan
	depth, start := 0, from
	for i := from; i < end && i < len(s.tokens); i++ {
		if s.tokens[i].kind != tokenOp {
			continue
		}
		switch s.tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				list = append(list, tokenSpan{start, i})
				start = i + 1
			}
		}
	}
	if last := s.trim(tokenSpan{start, min(end, len(s.tokens))}); last.from < last.to {
		list = append(list, last)
	}
	return list
}

// trim takes newlines off both ends.
func (s *codeScanner) trim(r tokenSpan) tokenSpan {
	for r.from < r.to && s.isOp(r.from, "\n") {
		r.from++
	}
	for r.to > r.from && s.isOp(r.to-1, "\n") {
		r.to--
	}
	return r
}

// dangers adds what is named and was not understood.
func (s *codeScanner) dangers() {
	said := map[string]bool{}
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.used {
			continue
		}
		name := ""
		switch t.kind {
		case tokenName:
			name = s.dangerName(i)
		case tokenString:
			if text, ok := t.value.Text(); ok && (s.lang.modules[moduleName(text)] || s.lang.key == "php" && s.lang.danger[text]) {
				name = text
			}
		}
		if name != "" && !said[name] {
			said[name] = true
			s.out = append(s.out, opaque("it uses "+name+" in a way that is not followed"))
		}
	}
}

// dangerName is the part of the name at token i that is a danger, or "".
func (s *codeScanner) dangerName(i int) string {
	t := &s.tokens[i]
	if s.isKeyword(i) {
		return ""
	}
	full := s.resolve(t.text)
	if s.lang.harmless[full] || s.lang.harmless[t.text] {
		return ""
	}
	if s.isOp(i+1, "[") && (s.lang.modules[full] || s.lang.danger["["+full]) {
		return full + "[…]"
	}
	if s.lang.modules[full] || s.lang.danger[full] {
		return full
	}
	parts := strings.Split(full, ".")
	if s.lang.modules[parts[0]] {
		return full
	}
	for k, part := range parts {
		if k > 0 && s.lang.danger["."+part] || k == 0 && part != "" && s.lang.danger[part] {
			return part
		}
	}
	return ""
}

// isKeyword reports whether the name at token i is the key of an object or a
// keyword argument, or what an import names.
func (s *codeScanner) isKeyword(i int) bool {
	if s.isOp(i+1, ":") && (s.isOp(i-1, "{") || s.isOp(i-1, ",")) {
		return true
	}
	return s.isOp(i+1, "=") && (s.isOp(i-1, "(") || s.isOp(i-1, ","))
}
