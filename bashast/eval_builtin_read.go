package bashast

import (
	"strings"
)

// readOptions are those of read and mapfile that matter.
type readOptions struct {
	raw, trim bool
	array     string
	delim     string
	// calls is true where mapfile -C names a command, callback its value.
	calls    bool
	callback Value
	// vague is true where what is read is not what standard input holds.
	vague bool
	names []Word
}

// readOptions reads the options of the builtin; valued holds the letters that
// take a value.
func (b *builtin) readOptions(valued string) readOptions {
	o := readOptions{delim: "\n"}
	i := 1
	for ; i < len(b.cmd.Words); i++ {
		text, ok := b.text(i)
		if !ok {
			o.vague = o.vague || b.cmd.Words[i].Many
			break
		}
		if text == "--" {
			i++
			break
		}
		if len(text) < 2 || text[0] != '-' {
			break
		}
		i += b.readLetters(&o, text, i, valued)
	}
	if i < len(b.cmd.Words) {
		o.names = b.cmd.Words[i:]
	}
	return o
}

// readLetters reads one word of options and returns how many words more it
// takes.
func (b *builtin) readLetters(o *readOptions, text string, i int, valued string) int {
	for j := 1; j < len(text); j++ {
		c := text[j]
		if strings.IndexByte(valued, c) < 0 {
			o.raw = o.raw || c == 'r'
			o.trim = o.trim || c == 't'
			continue
		}
		more, at := 0, i
		value := text[j+1:]
		known := true
		if value == "" {
			more, at = 1, i+1
			value, known = b.text(i + 1)
		}
		switch c {
		case 'a':
			o.array = value
		case 'd':
			o.delim = value
			if value == "" {
				o.delim = "\x00"
			}
		case 'C':
			o.calls, o.callback = true, Known(value)
			if !known && at < len(b.cmd.Words) {
				o.callback = b.cmd.Words[at].Value
			}
			known = true
		default:
			o.vague = true
		}
		o.vague = o.vague || !known
		return more
	}
	return 0
}

// read takes a line from standard input (bash manual 4.2).
func (b *builtin) read() {
	o := b.readOptions("adinNptu")
	e, sh := b.e, b.sh
	names := make([]string, 0, len(o.names))
	for _, w := range o.names {
		name, ok := w.Text()
		if !ok || w.Many {
			b.problem(ProblemLookup, "which variable read sets is not known", 1)
			e.havoc(sh)
			return
		}
		names = append(names, name)
	}
	line, rest, found, ok := nextLine(sh.in.val, o.delim)
	if o.vague || !ok {
		b.readUnknown(o, names)
		return
	}
	sh.in.val = rest
	sh.status = 1
	if found {
		sh.status = 0
	}
	b.readInto(o, names, line)
	for i, name := range names {
		if !validName(name) {
			continue
		}
		b.note(name, i)
	}
}

// note lists the assignment of a variable that a builtin set.
func (b *builtin) note(name string, _ int) {
	v := b.sh.lookup(name)
	as := Assign{Name: name, Value: v.val, Exported: v.attrs&attrExport != 0, Span: b.cmd.Span}
	c := &b.e.prog.Commands[b.at]
	c.Assigns = append(c.Assigns, as)
	b.e.judgeAssign(b.sh, c, b.at, as)
}

// nextLine takes the text up to delim from what is still to be read.
func nextLine(v Value, delim string) (line string, rest Value, found, ok bool) {
	text, ok := v.Text()
	if !ok {
		return "", v, false, false
	}
	line, after, found := strings.Cut(text, delim[:1])
	return line, Known(after), found, true
}

// readUnknown sets the variables of read to what is not known.
func (b *builtin) readUnknown(o readOptions, names []string) {
	e, sh := b.e, b.sh
	e.consume(sh)
	sh.status = statusUnknown
	why := Unknown("what is read from standard input")
	if o.array != "" {
		sh.put(o.array, &variable{set: yes, attrs: attrIndexed, elems: &elements{open: true}})
		return
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	for i, name := range names {
		e.assign(sh, name, why)
		b.note(name, i)
	}
}

// readInto splits a line into the variables of read.
func (b *builtin) readInto(o readOptions, names []string, line string) {
	e, sh := b.e, b.sh
	ifs := sh.separators()
	if !o.raw && strings.Contains(line, `\`) || !ifs.known && (len(names) > 0 || o.array != "") {
		// A backslash hides separators and ends of lines.
		b.readUnknown(o, names)
		return
	}
	switch {
	case o.array != "":
		elems := &elements{}
		for i, f := range splitFields(line, ifs, -1) {
			elems = elems.with(itoa(i), Known(f), true)
		}
		sh.put(o.array, &variable{set: yes, attrs: attrIndexed, elems: elems})
	case len(names) == 0:
		e.assign(sh, "REPLY", Known(line))
	default:
		fields := splitFields(line, ifs, len(names))
		for i, name := range names {
			f := ""
			if i < len(fields) {
				f = fields[i]
			}
			e.assign(sh, name, Known(f))
		}
	}
}

// splitFields splits a line as read does. The last of at most n fields takes
// the rest; n < 0 means any number.
func splitFields(line string, ifs separators, n int) []string {
	var out []string
	i := 0
	for i < len(line) && ifs.white(line[i]) {
		i++
	}
	for i < len(line) {
		if n > 0 && len(out) == n-1 {
			return append(out, lastField(line[i:], ifs))
		}
		start := i
		for i < len(line) && !ifs.has(line[i]) {
			i++
		}
		out = append(out, line[start:i])
		hard := false
		for i < len(line) && ifs.has(line[i]) {
			if !ifs.white(line[i]) {
				if hard {
					break
				}
				hard = true
			}
			i++
		}
	}
	return out
}

// lastField is the rest of a line without the separators around it: white
// space, and one other separator where nothing else follows the field.
func lastField(rest string, ifs separators) string {
	end := len(rest)
	for end > 0 && ifs.white(rest[end-1]) {
		end--
	}
	rest = rest[:end]
	if end > 0 && ifs.has(rest[end-1]) {
		first := strings.IndexFunc(rest, func(r rune) bool { return r < 0x80 && ifs.has(byte(r)) })
		if first == end-1 || strings.TrimFunc(rest[first:end-1], func(r rune) bool { return r < 0x80 && ifs.white(byte(r)) }) == "" {
			rest = rest[:first]
		}
	}
	return rest
}

// mapfile reads lines into an array.
func (b *builtin) mapfile() {
	o := b.readOptions("dnOsucC")
	e, sh := b.e, b.sh
	if o.calls {
		b.callback(o.callback)
	}
	name := "MAPFILE"
	if len(o.names) > 0 {
		text, ok := o.names[0].Text()
		if !ok {
			e.havoc(sh)
			return
		}
		name = text
	}
	elems := &elements{open: true}
	if text, ok := sh.in.val.Text(); ok && !o.vague {
		elems = &elements{}
		for i := 0; text != "" && i < maxElements; i++ {
			line, after, found := strings.Cut(text, o.delim[:1])
			if found && !o.trim {
				line += o.delim[:1]
			}
			elems = elems.with(itoa(i), Known(line), true)
			text = after
		}
		elems.open = text != ""
		sh.in.val = Known("")
		sh.status = 0
	} else {
		e.consume(sh)
	}
	sh.put(name, &variable{set: yes, attrs: attrIndexed, elems: elems})
}

// callback evaluates the command of mapfile -C, which gets an index and a line.
func (b *builtin) callback(v Value) {
	cmd := b.e.prog.Commands[b.at]
	in := inner{
		kind: innerShell, script: Concat(v, Known(` "$1" "$2"`)), sameShell: true, keepStdin: true,
		via: Via{Kind: ViaShell, Name: "mapfile -C"},
		args: []Word{
			{Value: Known("mapfile")},
			{Value: unknownAtom("the index of a line"), Span: cmd.Span},
			{Value: Unknown("a line that mapfile read"), Span: cmd.Span},
		},
	}
	if !v.Resolved() {
		b.problem(ProblemScript, "the command of mapfile -C is not known: "+v.Why(), 1)
		return
	}
	b.e.innerShell(b.sh, b.at, &cmd, &in)
}

// getopts takes an option from the parameters; which is not followed.
func (b *builtin) getopts() {
	e, sh := b.e, b.sh
	if len(b.cmd.Words) > 2 {
		if name, ok := b.text(2); ok {
			e.assign(sh, name, Unknown("the option that getopts found"))
		} else {
			e.havoc(sh)
		}
	}
	sh.put("OPTARG", &variable{val: Unknown("the value of the option that getopts found"), set: maybe})
	sh.put("OPTIND", &variable{val: unknownAtom("the place of getopts"), set: yes})
}

// printf with -v sets a variable instead of printing.
func (b *builtin) printf() {
	e, sh := b.e, b.sh
	sh.status = 0
	i := 1
	text, ok := b.text(1)
	switch {
	case len(b.cmd.Words) < 2:
		sh.status = 2
		return
	case !ok && b.cmd.Words[1].Prefix() == "" && b.cmd.Words[1].Kind() < OneOfKind:
		return
	case !strings.HasPrefix(text, "-v"):
		return
	case text == "-v":
		i = 2
	}
	name, ok := b.text(i)
	if i == 1 {
		name = strings.TrimPrefix(name, "-v")
	}
	if !ok {
		b.problem(ProblemLookup, "which variable printf sets is not known", i)
		e.havoc(sh)
		return
	}
	c := *b.cmd
	c.Redirects = nil
	c.Words = append([]Word{b.cmd.Words[0]}, b.cmd.Words[i+1:]...)
	e.assign(sh, name, e.output(sh, &c))
	if validName(name) {
		b.note(name, i)
	}
}
