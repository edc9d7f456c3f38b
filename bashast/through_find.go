package bashast

import "strings"

// maxInners bounds how often one command is looked through with other words:
// for each root of find, each line that xargs or parallel reads.
const maxInners = 16

// find runs the commands of -exec and its kin on what it finds below its roots.
func (l *looker) find(p *parsed) {
	l.fresh = false
	suffix := p.nameSuffix("-name", "-iname")
	for i := range p.uses {
		u := &p.uses[i]
		if u.flag || u.role.kind != roleArgv {
			if !u.flag && u.role.kind != roleMeta {
				l.use(p, u)
			}
			continue
		}
		inDirectory := strings.HasSuffix(u.opt.names[0], "dir")
		for _, root := range p.roots() {
			words := l.c.Words[u.word:u.end]
			found := belowDir(root, suffix, "a file that find finds")
			in := inner{kind: innerArgv}
			if inDirectory {
				dir := absolute(l.c.Dir, belowDir(root, "", "the directory of a file that find finds"), l.env)
				in.dir = &dir
				found = belowDir(".", suffix, "a file that find finds")
			}
			if root == "" {
				found = Unknown("a file below a directory that is not known")
			}
			in.words, _ = replaceAll(words, "{}", found)
			l.inner(in)
		}
	}
}

// roots are the directories that find starts from; "" is one not known.
func (p *parsed) roots() []string {
	var roots []string
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil || u.word <= p.sub || u.role.kind != roleMeta {
			continue
		}
		v := p.of(u)
		switch {
		case v.Kind() == KnownKind && !p.c.Words[u.word].Many:
			roots = append(roots, textOf(&v))
		case v.Below():
			roots = append(roots, v.Prefix())
		case v.Kind() == OneOfKind:
			roots = append(roots, v.Texts()...)
		default:
			roots = append(roots, "")
		}
	}
	switch {
	case len(roots) == 0:
		return []string{"."}
	case len(roots) > maxInners:
		return []string{""}
	}
	return roots
}

// nameSuffix is how every name that find finds ends, when the only test of
// names is one -name '*suffix' and nothing widens it.
func (p *parsed) nameSuffix(names ...string) string {
	if p.has("-o", "-or", "-not") {
		return ""
	}
	suffix := ""
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt == nil || u.flag || u.opt.names[0] != names[0] && u.opt.names[0] != names[1] {
			continue
		}
		pattern, ok := p.of(u).Text()
		if !ok {
			return ""
		}
		rest := pattern[strings.LastIndexAny(pattern, "*?]")+1:]
		if strings.Contains(rest, "\\") {
			return ""
		}
		if before, _ := p.c.Words[u.word-2].Text(); before == "!" {
			continue
		}
		suffix = rest
	}
	return suffix
}

// fd runs -x once for each and -X once for all of what it finds.
func (l *looker) fd(p *parsed) {
	l.strangeIn(p, p.row)
	root := "."
	n := 0
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil {
			continue
		}
		if n++; n == 2 {
			root, _ = p.of(u).Text()
		}
	}
	found := belowDir(root, "", "a file that fd finds")
	if root == "" || n > 2 {
		found = Unknown("a file that fd finds")
	}
	for i := range p.uses {
		u := &p.uses[i]
		if u.flag || u.role.kind != roleArgv {
			continue
		}
		words := l.c.Words[u.word:u.end]
		placed := false
		for _, mark := range []string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
			var here bool
			words, here = replaceAll(words, mark, found)
			placed = placed || here
		}
		if !placed {
			words = append(words, Word{Value: found, Span: l.c.Words[u.word].Span})
		}
		l.argv(words)
	}
}

// xargs runs its operands with words that it reads from standard input.
func (l *looker) xargs(p *parsed) {
	l.strangeIn(p, p.row)
	words := []Word{{Value: Known("echo"), Span: l.c.Span}}
	if p.argv > 0 {
		words = l.c.Words[p.argv:]
	}
	l.fresh = true
	items, all := l.items(p)
	if mark, ok := p.replaceMark(); ok {
		l.replaced(words, mark, items, all)
		return
	}
	if items == nil {
		v := all
		if !v.Below() {
			v = Unknown("words that " + l.name + " reads from its standard input")
		}
		l.argv(append(words[:len(words):len(words)], Word{Value: v, Many: true, Span: l.c.Span}))
		return
	}
	for _, chunk := range chunks(items, p.chunkSize()) {
		run := words[:len(words):len(words)]
		for _, item := range chunk {
			run = append(run, Word{Value: Known(item), Span: l.c.Span, Quoted: true})
		}
		l.argv(run)
	}
}

// replaced adds the words once for each item, with the item in place of mark.
func (l *looker) replaced(words []Word, mark string, items []string, all Value) {
	if items == nil || len(items) > maxInners {
		v := all
		if !v.Below() {
			v = Unknown("a line that " + l.name + " reads from its standard input")
		}
		run, _ := replaceAll(words, mark, v)
		l.argv(run)
		return
	}
	for _, item := range items {
		run, _ := replaceAll(words, mark, Known(item))
		l.argv(run)
	}
}

// replaceMark is the text that stands for the item: -I MARK, -i[MARK], -J MARK.
func (p *parsed) replaceMark() (string, bool) {
	if v, ok := p.value("-I", "-i", "-J"); ok {
		if t, ok := v.Text(); ok && t != "" {
			return t, true
		}
		return "{}", true
	}
	return "{}", p.has("-i")
}

// chunkSize is how many items one run gets; 0 is all.
func (p *parsed) chunkSize() int {
	v, ok := p.value("-n", "-L", "-l")
	if !ok {
		return 0
	}
	n := 0
	text, _ := v.Text()
	for _, d := range text {
		if d < '0' || d > '9' {
			return 1
		}
		n = min(n*10+int(d-'0'), 1000)
	}
	return n
}

func chunks(items []string, size int) [][]string {
	if size == 0 || size >= len(items) {
		return [][]string{items}
	}
	var out [][]string
	for len(items) > size && len(out) < maxInners-1 {
		out = append(out, items[:size])
		items = items[size:]
	}
	return append(out, items)
}

// items are the words on standard input where it is known, else nil, with
// what is known of each.
func (l *looker) items(p *parsed) ([]string, Value) {
	if p.has("-a") {
		return nil, Unknown("words of a file")
	}
	text, ok := l.c.Stdin.Text()
	if !ok {
		return nil, l.c.Stdin
	}
	items := []string{}
	delimiter, _ := p.value("-d")
	d, _ := delimiter.Text()
	_, marked := p.replaceMark()
	switch {
	case p.has("-0"):
		items = splitItems(text, "\x00")
	case d != "":
		items = splitItems(text, unescapeDelimiter(d))
	case marked || p.has("-L"):
		for _, line := range strings.Split(text, "\n") {
			if line = strings.TrimLeft(line, " \t"); line != "" {
				items = append(items, strings.Join(splitQuoted(line, "\n"), ""))
			}
		}
	default:
		items = append(items, splitQuoted(text, " \t\n")...)
	}
	if len(items) > 256 {
		return nil, Unknown("more words than are followed")
	}
	return items, Value{}
}

func splitItems(text, sep string) []string {
	items := []string{}
	for _, s := range strings.Split(text, sep) {
		if s != "" {
			items = append(items, s)
		}
	}
	return items
}

func unescapeDelimiter(d string) string {
	switch d {
	case `\n`:
		return "\n"
	case `\t`:
		return "\t"
	case `\0`:
		return "\x00"
	}
	return d[:1]
}

// splitQuoted splits at the separators; quotes and backslashes protect, as in
// xargs without -0 (POSIX xargs).
func splitQuoted(text, separators string) []string {
	var items []string
	var b strings.Builder
	in := false
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case quote != 0:
			if ch == quote || ch == '\n' {
				quote = 0
				continue
			}
			b.WriteByte(ch)
		case ch == '\'' || ch == '"':
			quote, in = ch, true
		case ch == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
			in = true
		case strings.IndexByte(separators, ch) >= 0:
			items, in = appendPiece(items, &b, in), false
		default:
			b.WriteByte(ch)
			in = true
		}
	}
	return appendPiece(items, &b, in)
}

// parallel runs its operands as a shell line for each argument behind ::: or
// on standard input.
func (l *looker) parallel(p *parsed) {
	l.strangeIn(p, p.row)
	l.fresh = true
	words, args, given := splitParallel(l.c.Words[max(p.argv, 1):], p.argv > 0)
	all := Unknown("an argument that " + l.name + " reads")
	if !given {
		items, v := l.lines()
		if v.Below() {
			all = v
		}
		args = nil
		for _, item := range items {
			args = append(args, Word{Value: Known(item), Span: l.c.Span})
		}
		given = items != nil
	}
	if !given || len(args) > maxInners {
		l.parallelRun(p, words, all)
		return
	}
	for i := range args {
		l.parallelRun(p, words, args[i].Value)
	}
}

// lines are the lines on standard input where it is known, else nil.
func (l *looker) lines() ([]string, Value) {
	text, ok := l.c.Stdin.Text()
	if !ok {
		return nil, l.c.Stdin
	}
	return splitItems(text, "\n"), Value{}
}

// splitParallel separates the command from the arguments behind :::.
func splitParallel(words []Word, any bool) (command, args []Word, given bool) {
	if !any {
		return nil, nil, false
	}
	for i := range words {
		t, _ := words[i].Text()
		if !strings.HasPrefix(t, ":::") {
			if given {
				args = append(args, words[i])
			}
			continue
		}
		if !given {
			command, given = words[:i], true
		}
		if t == "::::" || t == "::::+" {
			return command, nil, false
		}
	}
	if !given {
		command = words
	}
	return command, args, given
}

// parallelRun adds one run of the command with arg put in.
func (l *looker) parallelRun(p *parsed, words []Word, arg Value) {
	if len(words) == 0 {
		l.shell(arg, -1)
		return
	}
	run, placed := replaceAll(words, "{}", arg)
	for _, mark := range []string{"{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"} {
		var here bool
		run, here = replaceAll(run, mark, arg)
		placed = placed || here
	}
	if !placed {
		run = append(run, Word{Value: arg, Span: l.c.Span})
	}
	script := joinWords(run)
	if p.has("-q") || !script.Resolved() || hasBlanks(run) {
		l.argv(run)
	}
	if !p.has("-q") && script.Resolved() {
		l.shell(script, -1)
	}
}

// hasBlanks reports whether a word holds what a shell would split at: versions
// of parallel differ in whether they quote such words.
func hasBlanks(words []Word) bool {
	for i := range words {
		if i > 0 && strings.ContainsAny(words[i].Prefix(), " \t\n") {
			return true
		}
	}
	return false
}
