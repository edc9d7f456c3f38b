package bashast

import "strings"

// finding is one thing that program text of another language does (B5).
type finding struct {
	kind findingKind
	// effect is the kind of a findEffect.
	effect EffectKind
	// value is a script, a path, a URL, or program text.
	value Value
	// words are the words of a command that is started without a shell.
	words []Value
	// lang is the language of a findCode.
	lang string
	// deep is true when all below the path is meant, send when data goes out.
	deep, send bool
	// why says for a person what is not followed.
	why string
}

type findingKind uint8

const (
	findEffect findingKind = iota // a path or host is touched
	findShell                     // a shell runs value
	findArgv                      // words are run
	findCode                      // value is program text of lang
	findOpaque                    // something is done that cannot be seen
)

// Bounds on the program text that is scanned: bytes, and tokens, of which a
// few steps look at all those that follow.
const (
	maxCodeSize   = 64 << 10
	maxCodeTokens = 8192
)

func opaque(why string) finding { return finding{kind: findOpaque, why: why} }

func shellFinding(v Value) finding {
	if !v.Resolved() {
		return opaque("it runs a command that is not known")
	}
	return finding{kind: findShell, value: v}
}

func pathFinding(kind EffectKind, path string) finding {
	return finding{kind: findEffect, effect: kind, value: Known(path)}
}

// scanner reads program text of one language.
type scanner func(text string, args []Value) []finding

// scannerOf finds the scanner of a language; nil where the language can do
// nothing but what its operands say.
func scannerOf(lang string) scanner {
	switch lang {
	case "sed":
		return plain(scanSed)
	case "awk":
		return plain(scanAwk)
	case "vim":
		return plain(scanVim)
	case "gdb":
		return plain(scanGdb)
	case "ftp":
		return plain(scanFtp)
	case "sql":
		return plain(scanSQL)
	case "gnuplot":
		return plain(scanGnuplot)
	case "tex":
		return plain(scanTeX)
	case "rpm":
		return plain(scanRPM)
	case "applescript":
		return plain(scanAppleScript)
	case "elisp":
		return plain(scanLisp)
	case "opaque":
		return plain(func(string) []finding { return []finding{opaque("its program text is not readable")} })
	}
	if l := languageOf(lang); l != nil {
		return l.scan
	}
	return nil
}

func plain(scan func(string) []finding) scanner {
	return func(text string, _ []Value) []finding { return scan(text) }
}

// scanCode is what the program text v does. args are the arguments of the
// program, the first of them its own name.
func scanCode(lang string, v Value, args []Value) []finding {
	scan := scannerOf(lang)
	if scan == nil {
		return nil
	}
	var all []finding
	for _, text := range v.Texts() {
		if len(text) > maxCodeSize {
			return []finding{opaque("its program text is longer than what is read")}
		}
		all = append(all, scan(text, args)...)
	}
	return all
}

// codeArgs are the arguments that a program text sees: those behind word.
func codeArgs(c *Command, word int) []Value {
	args := []Value{Known("-c")}
	if word < 0 {
		return args
	}
	for i := word + 1; i < len(c.Words); i++ {
		if c.Words[i].Many {
			break
		}
		args = append(args, c.Words[i].Value)
	}
	return args
}

// code adds what program text of another language starts (B5).
func (l *looker) code(lang string, v Value, word int) {
	if scannerOf(lang) == nil {
		return
	}
	if !v.Resolved() {
		l.problem(ProblemScript, "the program text that "+l.name+" runs is not known", word)
		return
	}
	// What a program starts gets its standard input from the program.
	fresh := l.fresh
	l.fresh = true
	defer func() { l.fresh = fresh }()
	via := Via{Kind: ViaInterpreter, Name: l.name}
	for _, f := range scanCode(lang, v, codeArgs(l.c, word)) {
		switch f.kind {
		case findShell:
			l.script(inner{script: f.value, via: via}, word)
		case findArgv:
			l.inner(inner{kind: innerArgv, words: l.wordsOf(f.words, word), via: via})
		case findCode:
			l.code(f.lang, f.value, word)
		case findOpaque:
			l.problem(ProblemInline, "the code given to "+l.name+": "+f.why, word)
		}
	}
}

func (l *looker) wordsOf(values []Value, word int) []Word {
	words := make([]Word, len(values))
	for i, v := range values {
		words[i] = Word{Value: v, Span: l.span(word), Quoted: true}
	}
	return words
}

// code adds what program text of another language does to paths and hosts.
func (f *finder) code(lang string, v Value, word int) {
	if !v.Resolved() {
		return
	}
	for _, found := range scanCode(lang, v, codeArgs(f.c, word)) {
		switch found.kind {
		case findEffect:
			f.codeEffect(found, word)
		case findCode:
			f.code(found.lang, found.value, word)
		}
	}
}

func (f *finder) codeEffect(found finding, word int) {
	target := found.value
	if found.effect != Network {
		if t, ok := target.Text(); ok && (t == "" || t == "-" || isStream(t)) {
			return
		}
		if home, ok := behind(target, "~/"); ok && f.env.Home != "" {
			target = Concat(Known(f.env.Home+"/"), home)
		}
		target = absolute(f.dir, target, f.env)
	}
	f.add(found.effect, target, word, found.deep)
	f.out1().Send = found.send
}

// lines calls each with every line of text.
func eachLine(text string, each func(string)) {
	for line := range strings.SplitSeq(text, "\n") {
		each(line)
	}
}
