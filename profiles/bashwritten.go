package profiles

import (
	"path"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
)

// judgeWritten asks about files that the same line writes and then runs: what
// is in them cannot be read before (B6, B11).
func (b *bashJudge) judgeWritten() {
	written := map[string]int{}
	for i := range b.facts.Paths {
		f := &b.facts.Paths[i]
		if f.Effect != bashast.Write || f.Partial {
			continue
		}
		if at, seen := written[f.Lexical]; !seen || f.Command < at {
			written[f.Lexical] = f.Command
		}
	}
	if len(written) == 0 {
		return
	}
	for i := range b.facts.Paths {
		f := &b.facts.Paths[i]
		if f.Effect == bashast.Execute && b.wasWritten(written, f.Lexical, f.Command) {
			b.addWritten(f.Lexical, f.Span)
		}
	}
	for i := range b.facts.Program.Commands {
		b.judgeRunner(written, i)
	}
}

// judgeRunner looks at the operands of an interpreter.
func (b *bashJudge) judgeRunner(written map[string]int, at int) {
	c := &b.facts.Program.Commands[at]
	if !runsFiles(c.Name()) {
		return
	}
	dir, known := c.Dir.Text()
	for _, w := range c.Words[1:] {
		text, ok := w.Text()
		if !ok || strings.HasPrefix(text, "-") {
			continue
		}
		if !strings.HasPrefix(text, "/") && known {
			text = path.Join(dir, text)
		}
		if b.wasWritten(written, path.Clean(text), at) {
			b.addWritten(text, w.Span)
		}
		return
	}
}

// wasWritten reports whether an earlier command writes the file, or fetched
// or unpacked it into a directory it lies in.
func (b *bashJudge) wasWritten(written map[string]int, file string, at int) bool {
	if by, ok := written[file]; ok && by < at {
		return true
	}
	for dir := path.Dir(file); dir != "/" && dir != "."; dir = path.Dir(dir) {
		by, ok := written[dir]
		if ok && by >= 0 && by < at && brings(&b.facts.Program.Commands[by], strings.TrimPrefix(file, dir+"/")) {
			return true
		}
	}
	return false
}

// brings reports whether a command that writes a directory may have put the
// file there that has the given name below it.
func brings(c *bashast.Command, below string) bool {
	first, _, deep := strings.Cut(below, "/")
	switch c.Name() {
	case "curl", "wget", "aria2c":
		return !deep
	case "tar", "bsdtar", "unzip", "7z":
		return true
	case "git":
		return deep && len(c.Words) > 2 && wordText(c.Words[1]) == "clone" && namesClone(c, first)
	}
	return false
}

// namesClone reports whether a clone makes a directory of that name: it is
// named, or is the last part of the address.
func namesClone(c *bashast.Command, dir string) bool {
	for _, w := range c.Words[2:] {
		if text := wordText(w); strings.TrimSuffix(path.Base(text), ".git") == dir || text == "" {
			return true
		}
	}
	return false
}

// wordText is a word's text, "" where it is not known.
func wordText(w bashast.Word) string {
	text, _ := w.Text()
	return text
}

func (b *bashJudge) addWritten(file string, span bashast.Span) {
	b.addProblem(bashast.Problem{
		Code: bashast.ProblemScript, Span: span,
		Reason: "runs " + file + ", which the same line writes, so that its content cannot be read before",
	})
}

// runsFiles reports whether a program runs the file that its first operand
// names.
func runsFiles(name string) bool {
	for _, prefix := range [...]string{"python", "node", "ruby", "perl", "php", "lua", "deno", "bun", "tsx", "ts-node", "Rscript", "bash", "sh", "zsh", "dash", "ksh", "fish", "source", ".", "java", "osascript", "pwsh"} {
		if name == prefix || strings.HasPrefix(name, prefix) && strings.Trim(name[len(prefix):], "0123456789.") == "" && name[len(prefix):] != "" && prefix == "python" {
			return true
		}
	}
	return false
}

// judgeSealedNames refuses searches that name guard state on purpose, and
// commands that take the directory it lies in as a whole (layer 1).
func (b *bashJudge) judgeSealedNames() {
	for i := range b.facts.Paths {
		f := &b.facts.Paths[i]
		if f.Recursive && !f.Partial && path.Base(f.Lexical) == ".pi" {
			b.addSealed(f.Lexical, "the directory that guard state lies in", f.Span)
		}
	}
	for i := range b.facts.Program.Commands {
		c := &b.facts.Program.Commands[i]
		switch c.Name() {
		case "find", "fd", "fdfind", "locate", "rg", "ag", "grep", "tar", "cp", "rsync", "zip", "ln", "git":
		default:
			continue
		}
		for _, w := range c.Words[1:] {
			b.judgeSealedWord(c, w)
		}
	}
}

func (b *bashJudge) judgeSealedWord(c *bashast.Command, w bashast.Word) {
	for _, text := range w.Texts() {
		pattern := c.Name() == "find" || c.Name() == "fd" || c.Name() == "locate" || c.Name() == "fdfind"
		if pattern && text != "" && text[0] != '-' {
			if g := b.policy.protected.namedBy(text); g != nil {
				b.addSealed(text, g.reason, w.Span)
				return
			}
		}
		if !pattern && (path.Base(text) == ".pi") && takesTrees(c.Name()) {
			b.addSealed(text, "the directory that guard state lies in", w.Span)
			return
		}
	}
}

func takesTrees(name string) bool {
	switch name {
	case "tar", "cp", "rsync", "zip", "ln", "git":
		return true
	}
	return false
}

func (b *bashJudge) addSealed(target, reason string, span bashast.Span) {
	b.v.Add(Opinion{
		Layer: LayerIntegrity, Action: Deny, Origin: OriginFixed, Rule: "guard-state", Target: target,
		Reason: quote(target) + " reaches guard state (" + reason + ")",
		Safer:  "use the piagent_* tools, which read and write it for you", Start: span.Start, End: span.End,
	})
}
