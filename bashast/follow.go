package bashast

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Bounds on the scripts that are followed (B6).
const (
	maxScriptSize  = 256 << 10
	maxScriptDepth = 8
)

// errNoFile is why a script is not followed because it is not there.
var errNoFile = errors.New("no such file")

// scriptFile follows a shell script given by its path; args are $0 and the
// positional parameters. A file outside the project is not followed: running
// it is an effect, which policy judges.
func (l *looker) scriptFile(v Value, args []Word, word int) {
	if isForeign(l.c) {
		return
	}
	if word > 0 && l.c.Words[word].Stream != nil {
		via := Via{Kind: ViaShell, Name: l.label}
		l.script(inner{script: *l.c.Words[word].Stream, args: args, via: via}, word)
		return
	}
	if t, ok := v.Text(); ok && isStream(t) {
		text, file, reads := l.stdin()
		if strings.HasPrefix(t, "/dev/fd/") && t != "/dev/fd/0" {
			text, file, reads = Unknown("the text of a process substitution"), nil, true
		}
		if reads && file == nil {
			l.script(inner{script: text, args: args, via: Via{Kind: ViaShell, Name: l.label}}, word)
		}
		return
	}
	target := absolute(l.c.Dir, v, l.env)
	if !target.Resolved() {
		l.problem(ProblemScript, "which script "+l.label+" runs is not known", word)
		return
	}
	for _, file := range target.Texts() {
		l.follow(file, args, word)
	}
}

// follow adds the script in file where it can be read, else a problem. A
// script that does not exist, or lies outside the project, adds nothing.
func (l *looker) follow(file string, args []Word, word int) {
	if !l.inProject(file) {
		return
	}
	text, err := l.readScript(file)
	switch {
	case errors.Is(err, errNoFile):
		return
	case err != nil:
		l.problem(ProblemScript, fmt.Sprintf("the script %s was not read: %v", file, err), word)
		return
	}
	l.inner(inner{
		kind: innerShell, script: Known(string(text)), args: args, file: file,
		via: Via{Kind: ViaScript, Name: path.Base(file), File: file, Line: 1},
	})
}

// inProject reports whether file lies below the project.
func (l *looker) inProject(file string) bool {
	return l.env.Project != "" && (file == l.env.Project ||
		strings.HasPrefix(file, strings.TrimSuffix(l.env.Project, "/")+"/"))
}

// readScript reads a text file within the bounds.
func (l *looker) readScript(file string) ([]byte, error) {
	if l.env.Files == nil {
		return nil, errNoFile
	}
	depth := 0
	for i := range l.c.Via {
		if l.c.Via[i].Kind == ViaScript {
			depth++
		}
	}
	if depth >= maxScriptDepth {
		return nil, fmt.Errorf("scripts call one another more than %d deep", maxScriptDepth)
	}
	info, err := l.env.Files.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoFile
	case err != nil:
		return nil, fmt.Errorf("looking at it: %w", err)
	case !info.Mode().IsRegular():
		return nil, errNoFile
	}
	text, err := l.env.Files.ReadFile(file, maxScriptSize)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading it: %w", err)
	case len(text) > maxScriptSize:
		return nil, fmt.Errorf("it is larger than %d bytes", maxScriptSize)
	case bytes.IndexByte(text, 0) >= 0:
		return nil, errors.New("it holds bytes that are no text")
	}
	return text, nil
}

// ownFile follows the command itself where its name is a path in the project
// and the file is a script. A program of the project in another language is
// the project's own code.
func (l *looker) ownFile() {
	name := textOf(&l.c.Words[0].Value)
	if !strings.Contains(name, "/") || l.c.Builtin || isForeign(l.c) {
		return
	}
	target := absolute(l.c.Dir, l.c.Words[0].Value, l.env)
	file, ok := target.Text()
	if !ok || !l.inProject(file) {
		return
	}
	text, err := l.readScript(file)
	if err != nil {
		if errors.Is(err, errChanged) || l.isShellScript(file, nil) && !errors.Is(err, errNoFile) {
			l.problem(ProblemScript, fmt.Sprintf("the script %s was not read: %v", file, err), 0)
		}
		return
	}
	if !l.isShellScript(file, text) {
		l.shebang(file, text)
		return
	}
	l.inner(inner{
		kind: innerShell, script: Known(string(text)), args: l.c.Words, file: file,
		via: Via{Kind: ViaScript, Name: path.Base(file), File: file, Line: 1},
	})
}

// isShellScript reports whether a program file is run by a shell: its first
// line says so, or it has none and is text.
func (l *looker) isShellScript(file string, text []byte) bool {
	interpreter := shebangWords(text)
	if len(interpreter) == 0 {
		return text != nil && !strings.Contains(path.Base(file), ".") ||
			strings.HasSuffix(file, ".sh") || strings.HasSuffix(file, ".bash")
	}
	r := rowOf(interpreterName(interpreter))
	return r != nil && r.do == "shell"
}

// shebangWords are the words of the first line behind #!.
func shebangWords(text []byte) []string {
	rest, ok := bytes.CutPrefix(text, []byte("#!"))
	if !ok {
		return nil
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return strings.Fields(string(line))
}

// interpreterName is the program that the words of a first line name.
func interpreterName(words []string) string {
	name := path.Base(words[0])
	if name != "env" {
		return name
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return path.Base(w)
		}
	}
	return name
}

// shebang adds the command that the kernel makes of a first line, where its
// interpreter runs the file as something else than code of the project: make,
// awk, sed, a wrapper.
func (l *looker) shebang(file string, text []byte) {
	words := shebangWords(text)
	if len(words) == 0 {
		return
	}
	r := rowOf(interpreterName(words))
	if r == nil || !r.runs {
		return
	}
	span := l.c.Words[0].Span
	run := make([]Word, 0, len(words)+len(l.c.Words))
	for _, w := range words {
		run = append(run, Word{Value: Known(w), Span: span})
	}
	run = append(run, Word{Value: Known(file), Span: span})
	run = append(run, l.c.Words[1:]...)
	l.inner(inner{
		kind: innerArgv, words: run, file: file,
		via: Via{Kind: ViaScript, Name: path.Base(file), File: file, Line: 1},
	})
}
