package bashast

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// attrs are the attributes of a variable (bash manual 4.2, declare).
type attrs uint16

const (
	attrExport attrs = 1 << iota
	attrReadonly
	attrInteger
	attrLower
	attrUpper
	attrRef
	attrIndexed
	attrAssoc
	attrTrace
	// attrMaybeExport is set besides attrExport where it may be wrong.
	attrMaybeExport
)

// variable is what is known of one shell variable. It is never changed in
// place.
type variable struct {
	// val is the value of a scalar.
	val   Value
	set   tri
	attrs attrs
	// elems are the elements of an array, nil for a scalar.
	elems *elements
	// hidden is, in a record of makeLocal, the variable that the local of the
	// function level hides.
	hidden *variable
	level  *callFrame
}

func (v variable) array() bool { return v.attrs&(attrIndexed|attrAssoc) != 0 }

// elements are those of an array, in the order in which they expand. It is
// never changed in place.
type elements struct {
	keys []string
	vals []Value
	// open is true when there may be others.
	open bool
}

// maxElements bounds the elements kept of an array.
const maxElements = 1024

func (e *elements) get(key string) (Value, tri) {
	if e == nil {
		return Known(""), no
	}
	if i := slices.Index(e.keys, key); i >= 0 {
		if e.open {
			return Unknown("an array whose elements are not all known"), maybe
		}
		return e.vals[i], yes
	}
	if e.open {
		return Unknown("an array whose elements are not all known"), maybe
	}
	return Known(""), no
}

// with is the array after an element is set. Indexed arrays stay in order.
func (e *elements) with(key string, val Value, indexed bool) *elements {
	n := &elements{}
	if e != nil {
		n = &elements{slices.Clone(e.keys), slices.Clone(e.vals), e.open}
	}
	if i := slices.Index(n.keys, key); i >= 0 {
		n.vals[i] = val
		return n
	}
	if len(n.keys) >= maxElements {
		n.open = true
		return n
	}
	at := len(n.keys)
	if indexed {
		k, _ := strconv.Atoi(key)
		for at > 0 {
			if prev, _ := strconv.Atoi(n.keys[at-1]); prev < k {
				break
			}
			at--
		}
	}
	n.keys = slices.Insert(n.keys, at, key)
	n.vals = slices.Insert(n.vals, at, val)
	return n
}

func (e *elements) without(key string) *elements {
	if e == nil {
		return nil
	}
	i := slices.Index(e.keys, key)
	if i < 0 {
		return e
	}
	return &elements{
		slices.Delete(slices.Clone(e.keys), i, i+1),
		slices.Delete(slices.Clone(e.vals), i, i+1),
		e.open,
	}
}

// next is the index that an element appended to an indexed array gets.
func (e *elements) next() int {
	if e == nil || len(e.keys) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(e.keys[len(e.keys)-1])
	return n + 1
}

func joinVariables(a, b variable) variable {
	j := variable{
		val:   Join(a.val, b.val),
		set:   joinTri(a.set, b.set),
		attrs: a.attrs | b.attrs,
	}
	if a.hidden != nil || b.hidden != nil {
		return joinHidden(a, b, j)
	}
	// An unset variable has no value of its own that could be the other's.
	switch {
	case a.set == no && !a.array():
		j.val = b.val
	case b.set == no && !b.array():
		j.val = a.val
	}
	if a.elems != nil || b.elems != nil {
		j.elems = joinElements(a, b)
	}
	return j
}

// joinHidden joins records of makeLocal: one that is there in one way only
// stands for a variable that may be local.
func joinHidden(a, b, j variable) variable {
	if a.level != b.level {
		if a.hidden == nil {
			a = b
		}
		a.set = maybe
		return a
	}
	old := joinVariables(*a.hidden, *b.hidden)
	j.hidden, j.level = &old, a.level
	return j
}

func joinElements(a, b variable) *elements {
	if a.elems == b.elems {
		return a.elems
	}
	if a.elems == nil || b.elems == nil || !slices.Equal(a.elems.keys, b.elems.keys) {
		return &elements{open: true}
	}
	j := &elements{keys: a.elems.keys, open: a.elems.open || b.elems.open}
	for i := range a.elems.vals {
		j.vals = append(j.vals, Join(a.elems.vals[i], b.elems.vals[i]))
	}
	return j
}

// function is what is known of a function name.
type function struct {
	// bodies are those it may have; none when it is surely not defined.
	bodies []*body
	// absent is true when it may as well not be defined.
	absent bool
	export bool
}

// body is a function definition, and where it stands.
type body struct {
	decl *syntax.FuncDecl
	ctx  *context
}

func joinFunctions(a, b *function) *function {
	if a == b {
		return a
	}
	j := &function{absent: true}
	for _, f := range []*function{a, b} {
		if f == nil {
			continue
		}
		for _, b := range f.bodies {
			if !slices.Contains(j.bodies, b) {
				j.bodies = append(j.bodies, b)
			}
		}
		j.export = j.export || f.export
	}
	j.absent = a == nil || b == nil || a.absent || b.absent
	return j
}

// put sets what s itself says of a variable.
func (s *shell) put(name string, v *variable) {
	if s.vars == nil {
		s.vars = make(map[string]*variable)
	}
	s.vars[name] = v
}

func (s *shell) putFunc(name string, f *function) {
	if s.funcs == nil {
		s.funcs = make(map[string]*function)
	}
	s.funcs[name] = f
}

// function is what is known of the function name; nil when there is none.
func (s *shell) function(name string) *function {
	for c := s; c != nil; c = c.parent {
		if f, ok := c.funcs[name]; ok {
			return f
		}
	}
	return nil
}

// own is what the line says of a variable.
func (s *shell) own(name string) (*variable, bool) {
	for c := s; c != nil; c = c.parent {
		if v, ok := c.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// volatile variables change by themselves whatever is assigned to them.
func volatile(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_SUBSHELL",
		"BASH_COMMAND", "_", "FUNCNAME", "PIPESTATUS", "BASH_LINENO", "BASH_SOURCE", "DIRSTACK", "COLUMNS", "LINES":
		return true
	}
	return false
}

// lookup is what is known of a variable: what the line says of it, or else
// the environment.
func (s *shell) lookup(name string) variable {
	if v, ok := s.own(name); ok {
		if v.set != no && volatile(name) {
			return variable{val: unknownOf(name), set: yes, attrs: v.attrs}
		}
		return *v
	}
	switch {
	case name == "PWD":
		return variable{val: s.dir, set: yes, attrs: attrExport}
	case name == "OLDPWD" && s.oldSet != no:
		return variable{val: s.old, set: s.oldSet, attrs: attrExport}
	}
	return s.ctx.env.variable(name)
}

func unknownOf(name string) Value {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_SUBSHELL",
		"UID", "EUID", "PPID", "COLUMNS", "LINES", "SHLVL", "HOSTNAME", "OSTYPE", "MACHTYPE", "HOSTTYPE":
		return unknownAtom("$" + name + " is made by the shell")
	}
	return Unknown("$" + name + " is not known")
}

// variable is what the environment and the shell itself say of a variable.
func (env *Env) variable(name string) variable {
	if text, ok := env.Vars[name]; ok && name != "IFS" {
		return variable{val: Known(text), set: yes, attrs: attrExport}
	}
	switch name {
	case "IFS":
		return variable{val: Known(" \t\n"), set: yes}
	case "HOME":
		if env.Home != "" {
			return variable{val: Known(env.Home), set: yes, attrs: attrExport}
		}
	case "OPTIND":
		return variable{val: Known("1"), set: yes}
	case "PS4":
		return variable{val: Known("+ "), set: yes}
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_SUBSHELL",
		"UID", "EUID", "PPID", "SHLVL", "HOSTNAME", "OSTYPE", "MACHTYPE", "HOSTTYPE", "BASH", "BASH_VERSION",
		"BASHOPTS", "SHELLOPTS", "_", "BASH_COMMAND", "DIRSTACK", "PATH":
		v := variable{val: unknownOf(name), set: yes}
		if name == "PATH" {
			v.attrs = attrExport
		}
		return v
	case "CDPATH", "BASH_ENV", "ENV", "GLOBIGNORE", "EXECIGNORE", "BASH_COMPAT", "POSIXLY_CORRECT":
		// Were these set, little of any line would be fixed; they are named
		// in the environment given where they are.
		return variable{val: Known("")}
	}
	if v, ok := shellMade(name); ok {
		return v
	}
	if env.Sealed {
		return variable{val: Known("")}
	}
	return variable{val: Unknown("$" + name + " is not known"), set: maybe, attrs: attrExport | attrMaybeExport}
}

// shellMade is a variable that bash makes without being told to, and whose
// value the line does not fix (bash manual 5.2).
func shellMade(name string) (variable, bool) {
	switch name {
	case "FUNCNAME", "PIPESTATUS", "BASH_SOURCE", "BASH_LINENO", "BASH_ARGC", "BASH_ARGV", "BASH_VERSINFO", "GROUPS", "BASH_REMATCH":
		return variable{set: maybe, attrs: attrIndexed, elems: &elements{open: true}}, true
	case "COLUMNS", "LINES":
		return variable{val: unknownOf(name), set: maybe}, true
	}
	for _, p := range []string{"BASH_", "HIST", "OPT", "TERM", "SHELL", "READLINE_", "COMP_", "MAIL", "PS1", "PS2", "OLDPWD"} {
		if strings.HasPrefix(name, p) {
			return variable{val: unknownOf(name), set: maybe}, true
		}
	}
	return variable{}, false
}

// names are the names of the variables that the line says something of.
func (s *shell) names(prefix string) []string {
	var names []string
	for c := s; c != nil; c = c.parent {
		for name := range c.vars {
			if !isHidden(name) && strings.HasPrefix(name, prefix) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
