package bashast

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// filter turns known text into known text; Unknown where its arguments hold
// more than it knows.
type filter func(text string, args []string) Value

func filterOf(name string) filter {
	switch name {
	case "cat":
		return filterCat
	case "tee":
		return func(text string, _ []string) Value { return Known(text) }
	case "head", "tail":
		return func(text string, args []string) Value { return filterEnds(name, text, args) }
	case "tac":
		return whole(func(lines []string) { slices.Reverse(lines) })
	case "rev":
		return whole(func(lines []string) {
			for i, l := range lines {
				r := []rune(l)
				slices.Reverse(r)
				lines[i] = string(r)
			}
		})
	case "tr":
		return filterTr
	case "cut":
		return filterCut
	case "sed":
		return filterSed
	case "base64":
		return func(text string, args []string) Value { return filterBase64(base64.StdEncoding, text, args) }
	case "base32":
		return filterBase32
	case "xxd":
		return filterXxd
	case "openssl":
		return filterOpenSSL
	}
	return nil
}

// splitLines is the lines of text and whether the last one ends in a newline.
func splitLines(text string) ([]string, bool) {
	if text == "" {
		return nil, true
	}
	body, ended := strings.CutSuffix(text, "\n")
	return strings.Split(body, "\n"), ended
}

func joinLines(lines []string, ended bool) string {
	text := strings.Join(lines, "\n")
	if ended && len(lines) > 0 {
		text += "\n"
	}
	return text
}

// whole makes a filter without arguments out of a change of the lines.
func whole(change func([]string)) filter {
	return func(text string, args []string) Value {
		if len(args) > 0 {
			return Value{}
		}
		lines, ended := splitLines(text)
		if !ended {
			return Value{}
		}
		change(lines)
		return Known(joinLines(lines, ended))
	}
}

func filterCat(text string, args []string) Value {
	for _, a := range args {
		if a != "-" && a != "-u" && a != "--" && a != "/dev/stdin" {
			return Value{}
		}
	}
	return Known(text)
}

// filterEnds is head and tail with a count of lines or bytes.
func filterEnds(name, text string, args []string) Value {
	count, bytes, ok := endsCount(args)
	if !ok {
		return Value{}
	}
	if bytes {
		n := min(count, len(text))
		if name == "head" {
			return Known(text[:n])
		}
		return Known(text[len(text)-n:])
	}
	lines, ended := splitLines(text)
	n := min(count, len(lines))
	if name == "tail" {
		return Known(joinLines(lines[len(lines)-n:], ended))
	}
	return Known(joinLines(lines[:n], ended || n < len(lines)))
}

func endsCount(args []string) (count int, bytes, ok bool) {
	count = 10
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' {
			return 0, false, false
		}
		digits := a[1:]
		if a[1] == 'n' || a[1] == 'c' {
			bytes = a[1] == 'c'
			digits = a[2:]
			if digits == "" && i+1 < len(args) {
				i++
				digits = args[i]
			}
		}
		v, err := strconv.Atoi(digits)
		if err != nil || v < 0 || strings.HasPrefix(digits, "+") {
			return 0, false, false
		}
		count = v
	}
	return count, bytes, true
}

// filterTr is tr for ASCII sets: translate, -d, -s alone is not followed.
func filterTr(text string, args []string) Value {
	remove := false
	if len(args) > 0 && args[0] == "-d" {
		remove, args = true, args[1:]
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-") && len(a) > 1 {
			return Value{}
		}
	}
	if remove && len(args) == 1 {
		set, ok := trSet(args[0])
		if !ok {
			return Value{}
		}
		return Known(strings.Map(func(r rune) rune {
			if r < 128 && strings.ContainsRune(set, r) {
				return -1
			}
			return r
		}, text))
	}
	if remove || len(args) != 2 {
		return Value{}
	}
	from, ok1 := trSet(args[0])
	to, ok2 := trSet(args[1])
	if !ok1 || !ok2 || to == "" {
		return Value{}
	}
	return Known(translate(text, from, to))
}

func translate(text, from, to string) string {
	out := []byte(text)
	for i, c := range out {
		if at := strings.LastIndexByte(from, c); at >= 0 {
			out[i] = to[min(at, len(to)-1)]
		}
	}
	return string(out)
}

// trSet expands ranges, escapes and the common classes of a set of tr.
func trSet(s string) (string, bool) {
	for class, members := range trClasses() {
		s = strings.ReplaceAll(s, class, members)
	}
	if strings.Contains(s, "[:") || strings.Contains(s, "[=") || strings.Contains(s, "*]") {
		return "", false
	}
	s, _ = unescape(s, false)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] >= 128 {
			return "", false
		}
		if i+2 < len(s) && s[i+1] == '-' && s[i] <= s[i+2] && s[i+2] < 128 {
			for c := s[i]; c < s[i+2]; c++ {
				b.WriteByte(c)
			}
			i++
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

func trClasses() map[string]string {
	return map[string]string{
		"[:lower:]": "a-z", "[:upper:]": "A-Z", "[:digit:]": "0-9",
		"[:alpha:]": "A-Za-z", "[:alnum:]": "A-Za-z0-9", "[:space:]": " \t\n\v\f\r", "[:blank:]": " \t",
	}
}

// filterCut is cut -d D -f N and cut -c N[-M] for one field or range.
func filterCut(text string, args []string) Value {
	delimiter, fields, chars := "\t", "", ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' {
			return Value{}
		}
		value := a[2:]
		if value == "" && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch a[1] {
		case 'd':
			delimiter = value
		case 'f':
			fields = value
		case 'c', 'b':
			chars = value
		default:
			return Value{}
		}
	}
	lines, _ := splitLines(text)
	for i, l := range lines {
		out, ok := cutLine(l, delimiter, fields, chars)
		if !ok {
			return Value{}
		}
		lines[i] = out
	}
	return Known(joinLines(lines, true))
}

func cutLine(line, delimiter, fields, chars string) (string, bool) {
	list, sep := chars, ""
	var parts []string
	switch {
	case chars != "" && fields == "":
		for i := 0; i < len(line); i++ {
			if line[i] >= 128 {
				return "", false
			}
		}
		parts = strings.Split(line, "")
	case fields != "" && len(delimiter) == 1:
		if !strings.Contains(line, delimiter) {
			return line, true
		}
		list, sep = fields, delimiter
		parts = strings.Split(line, delimiter)
	default:
		return "", false
	}
	var out []string
	for i := range parts {
		in, ok := inList(list, i+1)
		if !ok {
			return "", false
		}
		if in {
			out = append(out, parts[i])
		}
	}
	return strings.Join(out, sep), true
}

// inList reports whether n is in a list such as 1,3-5,7-.
func inList(list string, n int) (in, ok bool) {
	for _, item := range strings.Split(list, ",") {
		low, high, isRange := strings.Cut(item, "-")
		a, b := 1, n
		var err1, err2 error
		if low != "" {
			a, err1 = strconv.Atoi(low)
		}
		switch {
		case !isRange:
			b = a
		case high != "":
			b, err2 = strconv.Atoi(high)
		}
		if err1 != nil || err2 != nil || low == "" && high == "" {
			return false, false
		}
		in = in || a <= n && n <= b
	}
	return in, true
}

// filterSed is sed with one s/plain/plain/[g] on every line.
func filterSed(text string, args []string) Value {
	if len(args) == 2 && args[0] == "-e" {
		args = args[1:]
	}
	if len(args) != 1 || len(args[0]) < 4 || args[0][0] != 's' {
		return Value{}
	}
	parts := strings.Split(args[0][2:], args[0][1:2])
	if len(parts) != 3 || parts[0] == "" || strings.ContainsAny(parts[0], `.*[]^$\`) || strings.ContainsAny(parts[1], "&\\\n") {
		return Value{}
	}
	n := 1
	switch parts[2] {
	case "":
	case "g":
		n = -1
	default:
		return Value{}
	}
	lines, ended := splitLines(text)
	for i := range lines {
		lines[i] = strings.Replace(lines[i], parts[0], parts[1], n)
	}
	return Known(joinLines(lines, ended))
}

// filterBase64 decodes with -d; encoding is followed without options alone.
func filterBase64(enc *base64.Encoding, text string, args []string) Value {
	decode := false
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-d" || a == "-D" || isAbbreviation(a, "--decode"):
			decode = true
		case a == "-i" || isAbbreviation(a, "--ignore-garbage") || a == "-di" || a == "-id":
			decode = decode || a != "-i" && a[1] != '-'
			text = strings.Map(func(r rune) rune {
				if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/=", r)) {
					return r
				}
				return -1
			}, text)
		case a == "-w0" || a == "--wrap=0" || a == "-":
		case a == "-w" && i+1 < len(args):
			i++
		default:
			return Value{}
		}
	}
	if !decode {
		out := enc.EncodeToString([]byte(text))
		if len(out) > 76 {
			return Value{}
		}
		return Known(out + "\n")
	}
	return decodeWith(enc.DecodeString, text)
}

func isAbbreviation(a, long string) bool {
	return len(a) > 2 && strings.HasPrefix(long, a)
}

// decodeWith decodes what it can: the programs print what comes before an
// error, which a shell then runs.
func decodeWith(decode func(string) ([]byte, error), text string) Value {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, text)
	out, err := decode(text)
	if err != nil {
		if out2, err2 := decode(text + strings.Repeat("=", (4-len(text)%4)%4)); err2 == nil {
			return Known(string(out2))
		}
		return Unknown("text that is not encoded as it should be")
	}
	return Known(string(out))
}

func filterBase32(text string, args []string) Value {
	if len(args) != 1 || args[0] != "-d" && !isAbbreviation(args[0], "--decode") {
		return Value{}
	}
	return decodeWith(base32.StdEncoding.DecodeString, text)
}

// filterXxd is xxd -r -p, in one option or two.
func filterXxd(text string, args []string) Value {
	reverse, plain := false, false
	for _, a := range args {
		switch a {
		case "-r", "-revert":
			reverse = true
		case "-p", "-ps", "-plain", "-postscript":
			plain = true
		case "-rp", "-pr":
			return Value{}
		default:
			return Value{}
		}
	}
	if !reverse {
		return Value{}
	}
	if !plain {
		return unhexDump(text)
	}
	var digits strings.Builder
	for _, r := range text {
		if strings.ContainsRune("0123456789abcdefABCDEF", r) {
			digits.WriteRune(r)
		} else if !strings.ContainsRune(" \n\t\r", r) {
			return Value{}
		}
	}
	out, err := hex.DecodeString(digits.String())
	if err != nil {
		return Value{}
	}
	return Known(string(out))
}

// unhexDump reads a dump of lines "offset: hex…  text" whose offsets follow on.
func unhexDump(text string) Value {
	var out []byte
	lines, _ := splitLines(text)
	for _, line := range lines {
		offset, rest, ok := strings.Cut(line, ":")
		at, err := strconv.ParseUint(strings.TrimSpace(offset), 16, 32)
		if !ok || err != nil || int(at) != len(out) {
			return Value{}
		}
		rest, _, _ = strings.Cut(strings.TrimPrefix(rest, " "), "  ")
		bytes, err := hex.DecodeString(strings.ReplaceAll(rest, " ", ""))
		if err != nil {
			return Value{}
		}
		out = append(out, bytes...)
	}
	return Known(string(out))
}

// filterOpenSSL is openssl base64 -d and openssl enc -base64 -d.
func filterOpenSSL(text string, args []string) Value {
	decode, base := false, false
	for _, a := range args {
		switch a {
		case "-d":
			decode = true
		case "base64", "-base64", "-a":
			base = true
		case "enc", "-A":
		default:
			return Value{}
		}
	}
	if !decode || !base {
		return Value{}
	}
	return decodeWith(base64.StdEncoding.DecodeString, text)
}
