package bashast

import (
	"embed"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// tableFiles holds the table of commands. Each file is one JSON object whose
// keys are command names (several names that share a row are separated by
// blanks) and whose values are rows; see row for the fields.
//
//go:embed data/commands-*.json
var tableFiles embed.FS

// lazyRow is a row that is compiled when a line first names its command, so
// that starting up costs no more than finding where the rows are.
type lazyRow struct {
	once   sync.Once
	name   string
	raw    string
	top    map[string]*lazyRow
	parent *row
	row    *row
}

func (l *lazyRow) get() *row {
	l.once.Do(func() { l.row = compileRow(l.top, l.name, gjson.Parse(l.raw), l.parent) })
	return l.row
}

// table finds the row of a command by its name.
var table = sync.OnceValue(loadTable)

func loadTable() map[string]*lazyRow {
	rows := make(map[string]*lazyRow, 1024)
	files, err := tableFiles.ReadDir("data")
	if err != nil {
		panic("bashast: the embedded table of commands: " + err.Error())
	}
	for _, f := range files {
		text, err := tableFiles.ReadFile("data/" + f.Name())
		if err != nil {
			panic("bashast: the embedded table of commands: " + err.Error())
		}
		indexRows(rows, rows, gjson.ParseBytes(text), nil)
	}
	return rows
}

// indexRows adds the rows of one JSON object to rows without compiling them.
// They are subcommands of parent where that is not nil; top holds the rows
// that others may refer to.
func indexRows(top, rows map[string]*lazyRow, object gjson.Result, parent *row) {
	object.ForEach(func(key, value gjson.Result) bool {
		first, _, _ := strings.Cut(key.Str, " ")
		lazy := &lazyRow{name: first, raw: value.Raw, top: top, parent: parent}
		for n := range strings.FieldsSeq(key.Str) {
			rows[n] = lazy
		}
		return true
	})
}

// rowOf is the row of a command's base name, or nil. A version at the end of
// the name (python3.12, gcc-13) is taken off where the whole name has no row.
func rowOf(name string) *row {
	rows := table()
	if r, ok := rows[name]; ok {
		return r.get()
	}
	short := strings.TrimRight(name, "0123456789.")
	short = strings.TrimSuffix(short, "-")
	if short == name || short == "" {
		return nil
	}
	if r, ok := rows[short]; ok {
		return r.get()
	}
	return nil
}

// row is what the table knows of one command or subcommand. In the JSON:
//
//	why     for a person: what the command does to the world
//	same    the name of another row whose fields hold where this one has none
//	opts    options, separated by blanks: -o,--long=role; no role is a flag,
//	        =?role an argument that is attached or absent, =??role one that
//	        may also follow as an empty word (BSD sed -i ''), =;role all words
//	        up to ; or + or the end, =2role two words of which the first counts,
//	        =_role two words of which the second counts, =#role digits that
//	        are attached or absent; a ! behind the role ends the options
//	args    roles of the operands in order; one may end in * and repeat
//	when    changes by options given: {"if","and","args","opts","also","none"},
//	        where if and and name options, any of which suffices, ! in front
//	        negates; opts gives options another role, as role=option
//	also    effects that no word names, as role=value
//	none    the same, when no operand was given
//	deep    options that make path operands mean everything below; * always
//	send    options with which local data goes to the hosts named; * always
//	stop    the operand (from 1) at which options end; argv rows stop at 1
//	style   "word": options are whole words with one dash or two (Go, Java)
//	        "dd": operands are key=value, looked up in opts
//	        "tar": the first word may be options without a dash
//	        "find": word style, and operands end at the first option
//	globals true when the options of this row may follow a subcommand too
//	foreign true when what it starts sees another file system (ssh, docker)
//	loose   true when an option not in the row is surely a plain flag
//	do      the name of Go code that knows the rest
//	subs    rows of subcommands
//
// Roles are those of roleNames; a / behind one means everything below the
// path, a ^ in front that the path is read against the first directory, not
// the one a -C option set.
type row struct {
	name    string
	why     string
	list    []option
	byName  map[string]*option
	short   [128]uint8 // index in list plus one
	args    argList
	when    []variant
	also    []constant
	none    []constant
	deep    condition
	send    condition
	stop    int
	style   style
	globals bool
	foreign bool
	loose   bool
	do      string
	subs    map[string]*lazyRow
	// runs is true when the command may start another, or run code.
	runs bool
	// wraps is true when its operands hold a command: an option that is not
	// known makes it uncertain where that begins.
	wraps bool
}

type style uint8

const (
	styleGNU style = iota
	styleWord
	styleDD
	styleTar
	styleFind
)

// option is one option of a row.
type option struct {
	names []string
	role  role
	arg   argument
	// final is true when what follows its argument is all operands.
	final bool
}

type argument uint8

const (
	argNone argument = iota
	argRequired
	argAttached // optional, only attached
	argEmpty    // optional, attached or an empty word that follows
	argTwo      // two words, the first counts
	argSecond   // two words, the second counts
	argDigits   // digits, attached
	argWords    // the words up to a terminator
)

// variant changes a row when options are given.
type variant struct {
	cond, and condition
	args      *argList
	opts      []override
	also      []constant
	none      []constant
}

// override gives an option another role.
type override struct {
	name string
	role role
}

// constant is an effect that no word names.
type constant struct {
	role  role
	value string
}

// condition holds when any of its options is given.
type condition struct {
	names  []string
	negate bool
	always bool
}

// argList holds the roles of operands: those before the repeated one, the
// repeated one, those after it.
type argList struct {
	before []role
	repeat *role
	after  []role
}

func compileRow(top map[string]*lazyRow, name string, v gjson.Result, parent *row) *row {
	r := &row{
		name: name,
		why:  v.Get("why").Str,
		do:   v.Get("do").Str,
		stop: int(v.Get("stop").Int()),

		globals: v.Get("globals").Bool(),
		foreign: v.Get("foreign").Bool(),
		loose:   v.Get("loose").Bool(),
		args:    parseArgs(v.Get("args").Str),
		also:    parseConstants(v.Get("also").Str),
		none:    parseConstants(v.Get("none").Str),
		deep:    parseCondition(v.Get("deep").Str),
		send:    parseCondition(v.Get("send").Str),
	}
	switch v.Get("style").Str {
	case "word":
		r.style = styleWord
	case "dd":
		r.style = styleDD
	case "tar":
		r.style = styleTar
	case "find":
		r.style = styleFind
	}
	r.addOptions(v.Get("opts").Str)
	if parent != nil && parent.globals {
		r.globals = true
		for i := range parent.list {
			r.add(parent.list[i])
		}
	}
	for _, w := range v.Get("when").Array() {
		r.when = append(r.when, parseVariant(w))
	}
	if subs := v.Get("subs"); subs.Exists() {
		r.subs = make(map[string]*lazyRow, 32)
		indexRows(top, r.subs, subs, r)
	}
	if same := v.Get("same").Str; same != "" {
		base, ok := top[same]
		if !ok {
			panic("bashast: row " + name + " is the same as " + same + ", which does not exist")
		}
		r.inherit(base.get())
	}
	r.classify()
	return r
}

// inherit takes from base what the row itself does not say.
func (r *row) inherit(base *row) {
	for i := range base.list {
		r.add(base.list[i])
	}
	if r.args.empty() {
		r.args = base.args
	}
	r.when = append(r.when, base.when...)
	r.also = append(r.also, base.also...)
	if r.none == nil {
		r.none = base.none
	}
	if r.deep.empty() {
		r.deep = base.deep
	}
	if r.send.empty() {
		r.send = base.send
	}
	if r.stop == 0 {
		r.stop = base.stop
	}
	if r.style == styleGNU {
		r.style = base.style
	}
	if r.do == "" {
		r.do = base.do
	}
	if r.subs == nil {
		r.subs = base.subs
	}
	r.globals = r.globals || base.globals
	r.foreign = r.foreign || base.foreign
	r.loose = r.loose || base.loose
}

// classify sets what follows from the other fields.
func (r *row) classify() {
	r.wraps = r.args.wraps()
	for i := range r.when {
		if a := r.when[i].args; a != nil && a.wraps() {
			r.wraps = true
		}
	}
	if r.args.wraps() && r.stop == 0 {
		r.stop = 1
	}
	r.runs = r.wraps || r.do != "" || r.subs != nil || r.args.any(role.runs)
	for i := range r.when {
		if a := r.when[i].args; a != nil {
			r.runs = r.runs || a.any(role.runs)
		}
	}
	for i := range r.list {
		r.runs = r.runs || r.list[i].role.runs()
	}
}

func (r *row) addOptions(text string) {
	for _, token := range strings.Fields(text) {
		names, roleText, hasRole := strings.Cut(token, "=")
		o := option{names: strings.Split(names, ",")}
		if hasRole {
			o.arg = argRequired
			if rest, ok := strings.CutPrefix(roleText, "??"); ok {
				o.arg, roleText = argEmpty, rest
			} else if rest, ok := strings.CutPrefix(roleText, "?"); ok {
				o.arg, roleText = argAttached, rest
			}
			if rest, ok := strings.CutPrefix(roleText, ";"); ok {
				o.arg, roleText = argWords, rest
			}
			if rest, ok := strings.CutPrefix(roleText, "2"); ok {
				o.arg, roleText = argTwo, rest
			}
			if rest, ok := strings.CutPrefix(roleText, "#"); ok {
				o.arg, roleText = argDigits, rest
			}
			roleText, o.final = strings.CutSuffix(roleText, "!")
			if rest, ok := strings.CutPrefix(roleText, "_"); ok {
				o.arg, roleText = argSecond, rest
			}
			o.role = parseRole(roleText)
		}
		r.add(o)
	}
}

// add adds an option, leaving out the names that the row has already.
func (r *row) add(o option) {
	if r.byName == nil {
		r.byName = make(map[string]*option, 16)
	}
	if len(r.list) == cap(r.list) {
		grown := make([]option, len(r.list), 2*len(r.list)+16)
		copy(grown, r.list)
		r.list = grown
		for i := range r.list {
			for _, n := range r.list[i].names {
				r.byName[n] = &r.list[i]
			}
		}
	}
	kept := make([]string, 0, len(o.names))
	for _, n := range o.names {
		if r.byName[n] == nil {
			kept = append(kept, n)
		}
	}
	if len(kept) == 0 {
		return
	}
	o.names = kept
	r.list = append(r.list, o)
	for _, n := range kept {
		r.byName[n] = &r.list[len(r.list)-1]
		if len(n) == 2 && n[0] == '-' && n[1] < 128 {
			r.short[n[1]] = uint8(len(r.list))
		}
	}
}

func parseVariant(v gjson.Result) variant {
	w := variant{
		cond: parseCondition(v.Get("if").Str),
		and:  parseCondition(v.Get("and").Str),
		also: parseConstants(v.Get("also").Str),
		none: parseConstants(v.Get("none").Str),
	}
	for _, c := range parseConstants(v.Get("opts").Str) {
		w.opts = append(w.opts, override{c.value, c.role})
	}
	if a := v.Get("args"); a.Exists() {
		list := parseArgs(a.Str)
		w.args = &list
	}
	return w
}

func parseCondition(text string) condition {
	c := condition{always: text == "*"}
	text, c.negate = strings.CutPrefix(text, "!")
	c.names = strings.Fields(text)
	return c
}

func (c condition) empty() bool { return len(c.names) == 0 }

func parseArgs(text string) argList {
	var a argList
	for _, token := range strings.Fields(text) {
		token, repeated := strings.CutSuffix(token, "*")
		r := parseRole(token)
		switch {
		case repeated:
			a.repeat = &r
		case a.repeat == nil && r.kind == roleArgv || r.kind == roleShells:
			a.repeat = &r
		case a.repeat == nil:
			a.before = append(a.before, r)
		default:
			a.after = append(a.after, r)
		}
	}
	return a
}

func (a *argList) empty() bool {
	return len(a.before) == 0 && a.repeat == nil && len(a.after) == 0
}

func (a *argList) any(is func(role) bool) bool {
	for _, r := range a.before {
		if is(r) {
			return true
		}
	}
	for _, r := range a.after {
		if is(r) {
			return true
		}
	}
	return a.repeat != nil && is(*a.repeat)
}

// wraps reports whether the operands hold a command.
func (a *argList) wraps() bool {
	return a.any(func(r role) bool { return r.kind == roleArgv || r.kind == roleShells })
}

func parseConstants(text string) []constant {
	var list []constant
	for _, token := range strings.Fields(text) {
		roleText, value, _ := strings.Cut(token, "=")
		list = append(list, constant{parseRole(roleText), value})
	}
	return list
}
