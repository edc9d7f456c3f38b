package bashast

import (
	"slices"
	"strings"
	"sync"
)

// use is one option, option argument or operand of a command, with its role.
type use struct {
	role role
	// opt is the option, nil for an operand.
	opt *option
	// word is the index of the word that holds the value; at is the byte of
	// it at which the value begins.
	word, at int
	// end is the index behind the last word of an inner command that ends
	// before the words do.
	end int
	// flag is true for an option without an argument.
	flag bool
}

// parsed is a command read with its row.
type parsed struct {
	c *Command
	// row is that of the subcommand that was found, else of the command.
	row *row
	// sub is the index of the last subcommand's word, 0 when there is none.
	sub int
	// path holds the indexes of the words of all subcommands, depth many.
	path  [3]int
	depth int
	uses  []use
	// dashes is the number of uses in front of a --, -1 without one.
	dashes int
	// argv is the index of the first word of an inner command, 0 for none.
	argv int
	// unknown holds the first option that the row does not know.
	unknown int
	// vague is true when a word in front of an inner command may be any
	// number of words.
	vague bool
}

// scratch keeps the space of parsed commands for the next ones.
var scratch = sync.Pool{New: func() any { return &parsed{uses: make([]use, 0, 32)} }}

// parse reads the words of c as its row says. The caller releases what it
// returns.
func (r *row) parse(c *Command) *parsed {
	p := scratch.Get().(*parsed)
	*p = parsed{c: c, row: r, uses: p.uses[:0], dashes: -1}
	p.read(r, 1)
	p.assign()
	return p
}

// release gives the space of p back.
func (p *parsed) release() {
	p.c, p.row = nil, nil
	scratch.Put(p)
}

// read reads the words from index i on with row r.
func (p *parsed) read(r *row, i int) {
	if r.style == styleDD {
		p.readPairs(r, i)
		return
	}
	if r.style == styleTar {
		i = p.readBundle(r, i)
	}
	stop := r.stop
	if r.subs != nil {
		stop = 1
	}
	operands, ended, expression := 0, false, false
	for i < len(p.c.Words) {
		w := &p.c.Words[i]
		text := option1(w)
		if !ended && text == "--" && w.Kind() == KnownKind {
			ended = true
			p.dashes = len(p.uses)
			i++
			continue
		}
		if !ended && r.isOption(text) {
			i = p.option(r, i, text)
			if n := len(p.uses); n > 0 && p.uses[n-1].opt != nil && p.uses[n-1].opt.final {
				ended = true
			}
			expression = expression || r.style == styleFind && len(text) > 2
			continue
		}
		if r.style == styleFind {
			if expression = expression || text == "(" || text == "!"; expression {
				i++
				continue
			}
		}
		if r.subs != nil && operands == 0 {
			if sub := r.subcommand(w); sub != nil {
				p.enter(sub, i)
				return
			}
			stop = r.stop
		}
		if r.wraps && stop == 0 && p.argList().wraps() {
			stop = 1
		}
		p.uses = append(p.uses, use{word: i})
		operands++
		if stop > 0 && operands >= stop {
			ended = true
		}
		i++
	}
}

// enter goes on behind the subcommand at word i with its row.
func (p *parsed) enter(sub *row, i int) {
	p.row, p.sub, p.dashes = sub, i, -1
	if p.depth < len(p.path) {
		p.path[p.depth] = i
		p.depth++
	}
	p.read(sub, i+1)
}

// subcommand is the row of the subcommand that w names, nil where there is none.
func (r *row) subcommand(w *Word) *row {
	name, ok := w.Text()
	if !ok {
		return nil
	}
	if sub, ok := r.subs[name]; ok {
		return sub.get()
	}
	if sub, ok := r.subs["*"]; ok {
		return sub.get()
	}
	return nil
}

// option1 is the beginning of a word that decides whether it is an option:
// the text, the first of several texts that looks like one, or the prefix.
func option1(w *Word) string {
	switch w.Kind() {
	case KnownKind:
		return textOf(&w.Value)
	case OneOfKind:
		for _, t := range w.Texts() {
			if len(t) > 1 && t[0] == '-' {
				return t
			}
		}
		return w.Texts()[0]
	}
	return w.Prefix()
}

func (r *row) isOption(text string) bool {
	if len(text) < 2 {
		return false
	}
	if text[0] == '-' {
		return true
	}
	return text[0] == '+' && r.plus() != nil
}

// plus is the option that stands for words that begin with a plus.
func (r *row) plus() *option { return r.byName["+"] }

// option reads the option at word i and returns the index of the next word.
func (p *parsed) option(r *row, i int, text string) int {
	if o := r.byName[text]; o != nil {
		return p.whole(o, i)
	}
	if text[0] == '+' {
		p.uses = append(p.uses, use{role: r.plus().role, opt: r.plus(), word: i, at: 1})
		return i + 1
	}
	if r.style == styleWord || r.style == styleFind || strings.HasPrefix(text, "--") {
		return p.long(r, i, text)
	}
	if eq := strings.IndexByte(text, '='); eq > 2 && r.byName[text[:eq]] != nil {
		o := r.byName[text[:eq]]
		p.uses = append(p.uses, use{role: o.role, opt: o, word: i, at: eq + 1})
		return i + 1
	}
	return p.cluster(r, i, text)
}

// whole reads an option that is a word of its own.
func (p *parsed) whole(o *option, i int) int {
	switch {
	case o.arg == argRequired && i+1 < len(p.c.Words):
		p.uses = append(p.uses, use{role: o.role, opt: o, word: i + 1})
		return i + 2
	case o.arg == argTwo && i+2 < len(p.c.Words):
		p.uses = append(p.uses, use{role: o.role, opt: o, word: i + 1})
		return i + 3
	case o.arg == argSecond && i+2 < len(p.c.Words):
		p.uses = append(p.uses, use{role: o.role, opt: o, word: i + 2})
		return i + 3
	case o.arg == argEmpty && i+1 < len(p.c.Words) && isEmptyWord(&p.c.Words[i+1]):
		p.uses = append(p.uses, use{opt: o, word: i, flag: true})
		return i + 2
	case o.arg == argWords:
		end, next := p.terminator(i + 1)
		if end > i+1 {
			p.uses = append(p.uses, use{role: o.role, opt: o, word: i + 1, end: end})
			return next
		}
	}
	p.uses = append(p.uses, use{opt: o, word: i, flag: true})
	return i + 1
}

// terminator finds the end of the command that begins at word i: a ; or a +
// behind {}, or the last word. next is the index behind the terminator.
func (p *parsed) terminator(i int) (end, next int) {
	for j := i; j < len(p.c.Words); j++ {
		switch text, _ := p.c.Words[j].Text(); text {
		case ";":
			return j, j + 1
		case "+":
			if before, _ := p.c.Words[j-1].Text(); j > i && before == "{}" {
				return j, j + 1
			}
		}
	}
	return len(p.c.Words), len(p.c.Words)
}

func isEmptyWord(w *Word) bool { return w.Kind() == KnownKind && textOf(&w.Value) == "" }

// long reads --name, --name=value, an abbreviation, or -name in word style.
func (p *parsed) long(r *row, i int, text string) int {
	name, _, attached := strings.Cut(text, "=")
	o := r.longOption(name)
	switch {
	case o == nil:
		p.strange(r, i)
		if attached {
			p.uses = append(p.uses, use{role: role{kind: rolePath}, word: i, at: len(name) + 1, opt: &strangeOption})
		}
	case attached:
		p.uses = append(p.uses, use{role: o.role, opt: o, word: i, at: len(name) + 1})
	case p.c.Words[i].Kind() == PartialKind:
		p.strange(r, i)
	default:
		return p.whole(o, i)
	}
	return i + 1
}

// strangeOption stands for an option that a row does not know.
var strangeOption = option{names: []string{""}, arg: argAttached}

func (p *parsed) strange(r *row, i int) {
	if p.unknown == 0 && !r.loose {
		p.unknown = i
	}
}

// longOption finds a long option by its name or by an abbreviation of it that
// fits one alone, or several that mean the same (getopt_long).
func (r *row) longOption(name string) *option {
	if o := r.byName[name]; o != nil {
		return o
	}
	if r.style == styleWord || r.style == styleFind {
		if rest, ok := strings.CutPrefix(name, "--"); ok {
			return r.byName["-"+rest]
		}
		if o := r.byName["-"+name]; o != nil {
			return o
		}
		return nil
	}
	var found *option
	for i := range r.list {
		for _, n := range r.list[i].names {
			if !strings.HasPrefix(n, name) {
				continue
			}
			if found != nil && (found.role != r.list[i].role || found.arg != r.list[i].arg) {
				return nil
			}
			found = &r.list[i]
		}
	}
	return found
}

// cluster reads short options behind one dash.
func (p *parsed) cluster(r *row, i int, text string) int {
	if c := text[1]; c >= '0' && c <= '9' && r.short[c] == 0 {
		if o := r.byName["-NUM"]; o != nil {
			p.uses = append(p.uses, use{opt: o, word: i, flag: true})
			return i + 1
		}
	}
	return p.letters(r, i, 1, text)
}

// letters reads the letters of word i from byte j on as short options.
func (p *parsed) letters(r *row, i, j int, text string) int {
	partial := p.c.Words[i].Kind() == PartialKind
	for ; j < len(text); j++ {
		var o *option
		if text[j] < 128 && r.short[text[j]] > 0 {
			o = &r.list[r.short[text[j]]-1]
		}
		switch {
		case o == nil:
			p.strange(r, i)
			return i + 1
		case o.arg == argDigits:
			p.uses = append(p.uses, use{opt: o, word: i, flag: true})
			for j+1 < len(text) && strings.IndexByte("0123456789", text[j+1]) >= 0 {
				j++
			}
		case o.arg == argNone:
			p.uses = append(p.uses, use{opt: o, word: i, flag: true})
		case j+1 < len(text) || partial:
			at := j + 1
			if at < len(text) && text[at] == '=' && o.role.kind >= rolePath && len(text) > at+1 {
				at++
			}
			p.uses = append(p.uses, use{role: o.role, opt: o, word: i, at: at})
			return i + 1
		default:
			return p.whole(o, i)
		}
	}
	if partial {
		p.strange(r, i)
	}
	return i + 1
}

// readPairs reads key=value operands, as those of dd.
func (p *parsed) readPairs(r *row, i int) {
	for ; i < len(p.c.Words); i++ {
		text := option1(&p.c.Words[i])
		name, _, found := strings.Cut(text, "=")
		if o := r.byName[name]; o != nil && found {
			p.uses = append(p.uses, use{role: o.role, opt: o, word: i, at: len(name) + 1})
			continue
		}
		p.strange(r, i)
	}
}

// readBundle reads the options that tar and ar take without a dash in their
// first word; their arguments are the words that follow, in order.
func (p *parsed) readBundle(r *row, i int) int {
	if i >= len(p.c.Words) {
		return i
	}
	text, ok := p.c.Words[i].Text()
	if !ok || text == "" || text[0] == '-' || strings.ContainsAny(text, "/.") {
		return i
	}
	next := i + 1
	for j := 0; j < len(text); j++ {
		if text[j] >= 128 || r.short[text[j]] == 0 {
			p.strange(r, i)
			continue
		}
		o := &r.list[r.short[text[j]]-1]
		if o.arg == argRequired && next < len(p.c.Words) {
			p.uses = append(p.uses, use{role: o.role, opt: o, word: next})
			next++
			continue
		}
		p.uses = append(p.uses, use{opt: o, word: i, flag: true})
	}
	return next
}

// has reports whether any of the options was given.
func (p *parsed) has(names ...string) bool {
	for i := range p.uses {
		if o := p.uses[i].opt; o != nil {
			for _, n := range o.names {
				for _, m := range names {
					if n == m {
						return true
					}
				}
			}
		}
	}
	return false
}

// value is the argument of the last of the options that was given.
func (p *parsed) value(names ...string) (Value, bool) {
	for i := len(p.uses) - 1; i >= 0; i-- {
		u := &p.uses[i]
		if u.opt == nil || u.flag {
			continue
		}
		for _, n := range u.opt.names {
			for _, m := range names {
				if n == m {
					return p.of(u), true
				}
			}
		}
	}
	return Value{}, false
}

func (c condition) holds(p *parsed) bool {
	if c.always {
		return true
	}
	if len(c.names) == 0 {
		return false
	}
	return p.has(c.names...) != c.negate
}

// of is the value of u: the word, or what stands behind the option in it.
func (p *parsed) of(u *use) Value {
	return cutPrefix(p.c.Words[u.word].Value, u.at)
}

// cutPrefix is v without its first n bytes.
func cutPrefix(v Value, n int) Value {
	switch {
	case n == 0:
		return v
	case v.Kind() == KnownKind:
		return Known(textOf(&v)[min(n, len(textOf(&v))):])
	case v.Kind() == OneOfKind:
		texts := make([]string, len(v.Texts()))
		for i, t := range v.Texts() {
			texts[i] = t[min(n, len(t)):]
		}
		return OneOf(texts...)
	case n >= len(v.Prefix()):
		return Partial("", v.Suffix(), v.Why())
	}
	return Partial(v.Prefix()[n:], v.Suffix(), v.Why())
}

// argList is the list of roles that holds with the options given.
func (p *parsed) argList() *argList {
	args := &p.row.args
	for i := range p.row.when {
		w := &p.row.when[i]
		if w.args != nil && w.holds(p) {
			args = w.args
		}
	}
	return args
}

func (w *variant) holds(p *parsed) bool {
	return w.cond.holds(p) && (w.and.empty() || w.and.holds(p))
}

// assign gives the operands their roles.
func (p *parsed) assign() {
	for i := range p.row.when {
		if w := &p.row.when[i]; len(w.opts) > 0 && w.holds(p) {
			p.override(w.opts)
		}
	}
	args := p.argList()
	if args.empty() {
		return
	}
	operands := 0
	for i := range p.uses {
		if p.uses[i].opt == nil && p.uses[i].word > p.sub {
			operands++
		}
	}
	n, many, vague := 0, false, false
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil || u.word <= p.sub {
			continue
		}
		w := &p.c.Words[u.word]
		u.role = args.at(n, operands)
		if many = many || w.Many; many {
			u.role = args.worst(n, operands)
		}
		if u.role.kind == roleAssign {
			if isAssignment(w) {
				continue
			}
			n++
			u.role = args.at(n, operands)
		}
		switch u.role.kind {
		case roleArgv, roleShells, roleScript, roleProgram:
			p.argv = u.word
			p.vague = vague
			p.uses = p.uses[:i+1]
			return
		}
		vague = vague || w.Many
		n++
	}
}

// override gives options other roles.
func (p *parsed) override(opts []override) {
	for i := range p.uses {
		o := p.uses[i].opt
		if o == nil {
			continue
		}
		for _, v := range opts {
			if slices.Contains(o.names, v.name) {
				p.uses[i].role = v.role
			}
		}
	}
}

// isAssignment reports whether w is NAME=VALUE as env reads it.
func isAssignment(w *Word) bool {
	text := option1(w)
	return strings.IndexByte(text, '=') > 0
}

// at is the role of operand n of total.
func (a *argList) at(n, total int) role {
	if n < len(a.before) {
		return a.before[n]
	}
	if last := total - n; last >= 1 && last <= len(a.after) {
		return a.after[len(a.after)-last]
	}
	if a.repeat != nil {
		return *a.repeat
	}
	return role{}
}

// worst is the role of operand n when a word in front of it, or it itself,
// may be any number of words: a later role that changes a path comes first.
func (a *argList) worst(n, total int) role {
	own := a.at(n, total)
	if own.mutates() || own.kind >= roleArgv {
		return own
	}
	for i := n + 1; i < len(a.before); i++ {
		if a.before[i].mutates() {
			return a.before[i]
		}
	}
	if a.repeat != nil && a.repeat.mutates() {
		return *a.repeat
	}
	if n == total-1 || total <= len(a.before)+1 {
		for _, r := range a.after {
			if r.mutates() {
				return r
			}
		}
	}
	return own
}

func (r role) mutates() bool {
	switch r.kind {
	case roleWrite, roleEdit, roleDelete, roleMove, roleChmod, roleTo:
		return true
	}
	return false
}
