package bashast

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printEcho is bash's builtin echo with xpg_echo off (bash manual 4.2).
func printEcho(_ *Command, args []string, _ Env) Value {
	newline, escapes := true, false
	for len(args) > 0 && isEchoOption(args[0]) {
		for _, o := range args[0][1:] {
			switch o {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var stop bool
		text, stop = unescape(text, true)
		newline = newline && !stop
	}
	if newline {
		text += "\n"
	}
	return Known(text)
}

func isEchoOption(a string) bool {
	return len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "neE") == ""
}

// unescape replaces the backslash escapes of echo -e, and of printf where
// echo is false: they differ in how octal numbers are written. stop is true
// when \c ends the output.
func unescape(s string, echo bool) (text string, stop bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a', 'b', 'f', 'n', 'r', 't', 'v':
			b.WriteByte("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)])
		case 'e', 'E':
			b.WriteByte(0x1b)
		case '\\':
			b.WriteByte('\\')
		case '"':
			if echo {
				b.WriteByte('\\')
			}
			b.WriteByte('"')
		case 'c':
			return b.String(), true
		case 'x':
			i += hexEscape(&b, s[i+1:], 2, false)
		case 'u':
			i += hexEscape(&b, s[i+1:], 4, true)
		case 'U':
			i += hexEscape(&b, s[i+1:], 8, true)
		default:
			i += octalEscape(&b, s[i:], echo) - 1
		}
	}
	return b.String(), false
}

// hexEscape writes the character of up to most hexadecimal digits and returns
// how many there were.
func hexEscape(b *strings.Builder, s string, most int, character bool) int {
	n := 0
	for n < most && n < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
		n++
	}
	if n == 0 {
		b.WriteByte('\\')
		b.WriteByte(map[bool]byte{false: 'x', true: 'u'}[character])
		return 0
	}
	v, _ := strconv.ParseUint(s[:n], 16, 32)
	if character {
		b.WriteString(string(rune(v)))
	} else {
		b.WriteByte(byte(v))
	}
	return n
}

// octalEscape writes the character of \0nnn (echo) or \nnn (printf), else the
// backslash and what follows it, and returns how many bytes it read.
func octalEscape(b *strings.Builder, s string, echo bool) int {
	i, most := 0, 3
	if echo {
		if s[0] != '0' {
			b.WriteByte('\\')
			b.WriteByte(s[0])
			return 1
		}
		i = 1
		most = 4
	}
	v, n := 0, i
	for n < len(s) && n < most && s[n] >= '0' && s[n] <= '7' {
		v = v*8 + int(s[n]-'0')
		n++
	}
	if n == 0 {
		b.WriteByte('\\')
		b.WriteByte(s[0])
		return 1
	}
	b.WriteByte(byte(v))
	return n
}

// printPrintf is bash's builtin printf; with -v it prints nothing.
func printPrintf(_ *Command, args []string, _ Env) Value {
	if len(args) > 0 && args[0] == "-v" {
		return Known("")
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return Value{}
	}
	text, ok := formatPrintf(args[0], args[1:])
	if !ok {
		return Unknown("the output of printf")
	}
	return Known(text)
}

// formatPrintf applies a format to arguments as bash's printf does: the format
// is used again while arguments are left, and missing ones are empty or zero.
func formatPrintf(format string, args []string) (string, bool) {
	var b strings.Builder
	for round := 0; ; round++ {
		f := formatter{out: &b, args: args}
		if !f.run(format) {
			return "", false
		}
		if f.stop || b.Len() > maxOutput || len(f.args) == 0 || len(f.args) == len(args) {
			return b.String(), b.Len() <= maxOutput
		}
		args = f.args
	}
}

// formatter is one use of a printf format.
type formatter struct {
	out  *strings.Builder
	args []string
	stop bool
}

func (f *formatter) next() string {
	if len(f.args) == 0 {
		return ""
	}
	a := f.args[0]
	f.args = f.args[1:]
	return a
}

// run writes the format; false where its output is not fixed.
func (f *formatter) run(format string) bool {
	for format != "" && !f.stop {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			i = len(format)
		}
		text, stop := unescape(format[:i], false)
		f.out.WriteString(text)
		f.stop = stop
		if i == len(format) || stop {
			return true
		}
		n, ok := f.directive(format[i:])
		if !ok {
			return false
		}
		format = format[i+n:]
	}
	return true
}

// directive writes one conversion and returns its length.
func (f *formatter) directive(s string) (int, bool) {
	i := 1
	flags := ""
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		flags += s[i : i+1]
		i++
	}
	width, n := f.number(s[i:])
	i += n
	precision := -1
	if i < len(s) && s[i] == '.' {
		precision, n = f.number(s[i+1:])
		precision = max(precision, 0)
		i += 1 + n
	}
	if width < 0 && n > 0 {
		flags, width = flags+"-", -width
	}
	for i < len(s) && strings.IndexByte("hlLjzt", s[i]) >= 0 {
		i++
	}
	if i >= len(s) || width > 4096 || precision > 4096 {
		return 0, false
	}
	return i + 1, f.convert(s[i], flags, max(width, 0), precision)
}

// number reads a width or precision, * included.
func (f *formatter) number(s string) (value, length int) {
	if strings.HasPrefix(s, "*") {
		v, _ := strconv.Atoi(f.next())
		return v, 1
	}
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, 0
	}
	v, err := strconv.Atoi(s[:n])
	if err != nil {
		return math.MaxInt32, n
	}
	return v, n
}

func (f *formatter) convert(verb byte, flags string, width, precision int) bool {
	switch verb {
	case '%':
		f.out.WriteByte('%')
	case 's':
		f.pad(truncate(f.next(), precision), flags, width)
	case 'b':
		text, stop := unescapeB(f.next())
		f.stop = stop
		f.pad(truncate(text, precision), flags, width)
	case 'q':
		f.pad(quoteShell(f.next()), flags, width)
	case 'c':
		a := f.next()
		f.pad(a[:min(1, len(a))], flags, width)
	case 'd', 'i', 'u', 'x', 'X', 'o':
		return f.integer(verb, flags, width, precision)
	default:
		return false
	}
	return true
}

// unescapeB is for %b: like echo -e, and octal numbers without a 0 as well.
func unescapeB(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] >= '1' && s[i+1] <= '7' {
			b.WriteString(`\0`)
			continue
		}
		b.WriteByte(s[i])
		if s[i] == '\\' && i+1 < len(s) {
			i++
			b.WriteByte(s[i])
		}
	}
	return unescape(b.String(), true)
}

func truncate(s string, precision int) string {
	if precision < 0 || precision >= len(s) {
		return s
	}
	for precision > 0 && !utf8.RuneStart(s[precision]) {
		precision--
	}
	return s[:precision]
}

func (f *formatter) pad(s, flags string, width int) {
	fill := strings.Repeat(" ", max(0, width-len(s)))
	if strings.Contains(flags, "-") {
		f.out.WriteString(s + fill)
		return
	}
	f.out.WriteString(fill + s)
}

func (f *formatter) integer(verb byte, flags string, width, precision int) bool {
	v, ok := printfNumber(f.next())
	if !ok {
		return false
	}
	if verb == 'i' || verb == 'u' {
		verb = 'd'
	}
	spec := "%" + flags
	if width > 0 {
		spec += strconv.Itoa(width)
	}
	if precision >= 0 {
		spec += "." + strconv.Itoa(precision)
	}
	fmt.Fprintf(f.out, spec+string(verb), v)
	return v >= 0 || verb == 'd'
}

// printfNumber reads an integer argument: C notation, or a quote and the
// character whose code is meant.
func printfNumber(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	if s[0] == '\'' || s[0] == '"' {
		r, size := utf8.DecodeRuneInString(s[1:])
		return int64(r), size > 0
	}
	if strings.Contains(s, "_") || strings.HasPrefix(s, "0b") || strings.HasPrefix(s, "0o") {
		return 0, false
	}
	v, err := strconv.ParseInt(strings.TrimSpace(s), 0, 64)
	return v, err == nil
}

// quoteShell is a text as printf %q writes it where that is certain: as it is
// for plain characters, with backslashes in front of the others.
func quoteShell(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7f {
			return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s) + "'"
		}
		if strings.IndexByte("|&;<>()$`\\\"' *?[]#~=%!{},^", c) >= 0 && (c != '#' && c != '~' && c != '=' && c != '%' || i == 0 && c != '=' && c != '%') {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// printSeq is seq with integers.
func printSeq(_ *Command, args []string, _ Env) Value {
	sep := "\n"
	for len(args) > 1 && strings.HasPrefix(args[0], "-") && strings.Trim(args[0], "-0123456789") != "" {
		if args[0] != "-s" {
			return Value{}
		}
		sep, args = args[1], args[2:]
	}
	numbers := []int{1, 1, 0}
	at := map[int][]int{1: {2}, 2: {0, 2}, 3: {0, 1, 2}}[len(args)]
	if at == nil {
		return Value{}
	}
	for i, a := range args {
		v, err := strconv.Atoi(a)
		if err != nil || strings.HasPrefix(a, "+") {
			return Value{}
		}
		numbers[at[i]] = v
	}
	return seqText(numbers[0], numbers[1], numbers[2], sep)
}

func seqText(first, step, last int, sep string) Value {
	if step == 0 || (last-first)/step > 4096 {
		return Value{}
	}
	var b strings.Builder
	for v := first; step > 0 && v <= last || step < 0 && v >= last; v += step {
		if b.Len() > 0 {
			b.WriteString(sep)
		}
		b.WriteString(strconv.Itoa(v))
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return Known(b.String())
}
