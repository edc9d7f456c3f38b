package bashast

import "strings"

// scanVim reads commands of ex as vi, vim and ed take them: ! runs a shell,
// w writes, py3 and its kin run code of another language.
func scanVim(text string) []finding {
	var out []finding
	eachLine(text, func(line string) { out = append(out, vimCommand(line, 0)...) })
	return out
}

// maxCommandDepth bounds commands inside commands.
const maxCommandDepth = 8

func vimCommand(line string, depth int) []finding {
	if depth > maxCommandDepth {
		return []finding{opaque("commands inside commands too deep")}
	}
	body := strings.TrimLeft(line, ": \t")
	body = skipVimRange(body)
	name, rest := vimName(body)
	bang := strings.HasPrefix(rest, "!")
	arg := strings.TrimSpace(strings.TrimPrefix(rest, "!"))
	switch {
	case name == "":
		if bang {
			return []finding{shellFinding(Known(strings.TrimLeft(rest, "! ")))}
		}
		return vimExpression(body)
	case isOneOf(name, "r", "re", "rea", "read", "w", "wr", "wri", "writ", "write") && strings.HasPrefix(strings.TrimSpace(rest), "!") && (rest[0] == ' ' || name[0] == 'r'):
		return []finding{shellFinding(Known(strings.TrimLeft(rest, "! ")))}
	case isOneOf(name, "w", "wr", "wri", "write", "wq", "x", "sav", "saveas", "up", "update", "W", "mks", "mksession", "mkv", "wv", "wviminfo", "redi", "redir", "TOhtml"):
		return vimWrite(arg)
	case isOneOf(name, "e", "edit", "r", "read", "sp", "split", "vs", "vsplit", "tabe", "tabedit", "tabnew", "vie", "view", "f", "file"):
		return vimFiles(Read, arg)
	case isOneOf(name, "so", "source", "ru", "runtime", "luafile", "pyfile", "pyf", "py3file", "rubyfile"):
		return vimFiles(Execute, arg)
	case isOneOf(name, "te", "term", "terminal"):
		return []finding{shellFinding(Known(arg))}
	case isOneOf(name, "sh", "shell", "exe", "execute", "norm", "normal", "lua", "luado", "perl", "perldo", "ruby", "rubydo", "tcl", "mzscheme", "py", "python", "py3", "python3", "pyx", "pythonx", "py3do", "pydo"):
		return vimLanguage(name, arg)
	case isOneOf(name, "sil", "silent", "bufdo", "argdo", "windo", "tabdo", "cdo", "cfdo", "ldo", "lfdo", "keepalt", "noautocmd", "verb", "verbose", "sandbox", "keepp", "keeppatterns", "au", "autocmd", "com", "command", "g", "global", "v", "vglobal"):
		return vimNested(name, arg, depth)
	case isOneOf(name, "se", "set", "setl", "setlocal", "setg", "setglobal", "let"):
		return vimSetting(arg)
	case isOneOf(name, "mak", "make", "gr", "grep", "lmake", "lgrep", "lgr"):
		return []finding{shellFinding(Known("make " + arg))}
	}
	return append(vimExpression(rest), vimAfterBar(rest, depth)...)
}

func isOneOf(s string, of ...string) bool {
	for _, o := range of {
		if s == o {
			return true
		}
	}
	return false
}

// skipVimRange skips line numbers, marks and patterns in front of a command.
func skipVimRange(s string) string {
	for s != "" {
		switch c := s[0]; {
		case strings.IndexByte("%.$,;+- 0123456789", c) >= 0:
			s = s[1:]
		case c == '\'' && len(s) > 1:
			s = s[2:]
		case c == '/' || c == '?':
			_, n := quoted(s, c)
			s = s[n:]
		default:
			return s
		}
	}
	return s
}

// vimName splits the name of a command from what follows it.
func vimName(s string) (name, rest string) {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || i > 0 && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	return s[:i], s[i:]
}

func vimWrite(arg string) []finding {
	if file, ok := strings.CutPrefix(arg, ">>"); ok {
		arg = strings.TrimSpace(file)
	}
	if command, ok := strings.CutPrefix(arg, "!"); ok {
		return []finding{shellFinding(Known(command))}
	}
	return vimFiles(Write, strings.TrimLeft(arg, "> "))
}

// vimFiles are the file operand of a command and what follows a bar.
func vimFiles(kind EffectKind, arg string) []finding {
	arg, after, _ := strings.Cut(arg, "|")
	arg = strings.TrimSpace(arg)
	for strings.HasPrefix(arg, "+") {
		_, arg, _ = strings.Cut(arg, " ")
	}
	var out []finding
	if arg != "" && !strings.HasPrefix(arg, "%") && !strings.HasPrefix(arg, "#") {
		out = append(out, pathFinding(kind, arg))
	}
	if after != "" {
		out = append(out, vimCommand(after, 1)...)
	}
	return out
}

// vimLanguage is code of another language, or text that is typed or executed.
func vimLanguage(name, arg string) []finding {
	switch name {
	case "sh", "shell":
		return nil
	case "exe", "execute":
		if s, n := leadingString(arg); n == len(arg) {
			return vimCommand(s, 2)
		}
		return []finding{opaque("it executes a command that is computed")}
	case "norm", "normal":
		if strings.ContainsAny(arg, "!:@") {
			return []finding{opaque("it types what may be a command")}
		}
		return nil
	}
	lang := "opaque"
	switch {
	case strings.HasPrefix(name, "py"):
		lang = "python"
	case strings.HasPrefix(name, "lua"):
		lang = "lua"
	case strings.HasPrefix(name, "perl"):
		lang = "perl"
	case strings.HasPrefix(name, "ruby"):
		lang = "ruby"
	}
	return []finding{{kind: findCode, lang: lang, value: Known(arg)}}
}

// vimNested are commands that run others: silent !x, g/re/cmd, bufdo cmd.
func vimNested(name, arg string, depth int) []finding {
	switch name {
	case "g", "global", "v", "vglobal":
		if arg == "" {
			return nil
		}
		_, n := quoted(arg, arg[0])
		return vimCommand(arg[n:], depth+1)
	case "au", "autocmd", "com", "command":
		if strings.Contains(arg, "!") || strings.Contains(arg, "system") {
			return []finding{opaque("it sets a command that runs later")}
		}
		return nil
	}
	return vimCommand(arg, depth+1)
}

// vimSetting are settings that name a program.
func vimSetting(arg string) []finding {
	for _, name := range []string{"shell", "sh=", "makeprg", "grepprg", "formatprg", "equalprg", "keywordprg", "exrc", "modeline"} {
		if strings.HasPrefix(strings.TrimSpace(arg), name) {
			return []finding{opaque("it sets a program that runs later")}
		}
	}
	return vimExpression(arg)
}

func vimAfterBar(rest string, depth int) []finding {
	_, after, ok := strings.Cut(rest, "|")
	if !ok {
		return nil
	}
	return vimCommand(after, depth+1)
}

// vimExpression finds calls of functions that run or change something.
func vimExpression(text string) []finding {
	var out []finding
	for _, name := range []string{"system(", "systemlist(", "job_start(", "termopen(", "jobstart(", "term_start("} {
		if i := strings.Index(text, name); i >= 0 {
			s, n := leadingString(text[i+len(name):])
			if n == 0 {
				return []finding{opaque("it runs a command that is computed")}
			}
			out = append(out, shellFinding(Known(s)))
		}
	}
	for _, name := range []string{"writefile(", "delete(", "rename(", "feedkeys(", "libcall(", "execute(", "luaeval(", "py3eval(", "pyeval(", "mkdir(", "setfperm("} {
		if strings.Contains(text, name) {
			return append(out, opaque("it calls "+strings.TrimSuffix(name, "(")))
		}
	}
	return out
}

// leadingString is the string literal that s begins with, with its length.
func leadingString(s string) (string, int) {
	s2 := strings.TrimLeft(s, " \t")
	skipped := len(s) - len(s2)
	if s2 == "" || s2[0] != '"' && s2[0] != '\'' {
		return "", 0
	}
	text, n := quoted(s2, s2[0])
	if s2[0] == '"' {
		text = unescapeC(text)
	}
	return text, skipped + n
}

// scanGdb reads commands of gdb: shell and ! run a shell, python runs Python,
// source runs a file, and an expression may call system().
func scanGdb(text string) []finding {
	var out []finding
	eachLine(text, func(line string) { out = append(out, gdbCommand(strings.TrimSpace(line))...) })
	return out
}

func gdbCommand(line string) []finding {
	if command, ok := strings.CutPrefix(line, "!"); ok {
		return []finding{shellFinding(Known(command))}
	}
	name, arg, _ := strings.Cut(line, " ")
	switch name {
	case "platform":
		if rest, ok := strings.CutPrefix(arg, "shell "); ok {
			return []finding{shellFinding(Known(rest))}
		}
	case "script", "command":
		return []finding{opaque("it runs code that is not followed")}
	case "shell", "she":
		return []finding{shellFinding(Known(arg))}
	case "pipe", "|":
		_, command, _ := strings.Cut(arg, "|")
		return []finding{shellFinding(Known(command))}
	case "make":
		return []finding{shellFinding(Known(line))}
	case "python", "py", "python-interactive", "pi":
		return []finding{{kind: findCode, lang: "python", value: Known(arg)}}
	case "guile", "gu", "compile":
		return []finding{opaque("it runs code that is not followed")}
	case "source", "so":
		return []finding{pathFinding(Execute, strings.TrimSpace(arg))}
	case "target", "tar":
		if _, command, ok := strings.Cut(arg, "|"); ok {
			return []finding{shellFinding(Known(command))}
		}
	case "generate-core-file", "gcore", "save", "dump", "append":
		fields := strings.Fields(arg)
		if len(fields) > 0 {
			return []finding{pathFinding(Write, fields[len(fields)-1])}
		}
	}
	return gdbCall(line)
}

// gdbCall finds calls of C functions that start programs.
func gdbCall(line string) []finding {
	for _, name := range []string{"system", "popen", "execl", "execv", "execve", "execlp", "execvp", "posix_spawn", "unlink", "remove", "dlopen"} {
		for _, open := range []string{"(", " ("} {
			i := strings.Index(line, name+open)
			if i < 0 {
				continue
			}
			s, n := leadingString(line[i+len(name+open):])
			if n == 0 || name != "system" && name != "popen" {
				return []finding{opaque("it calls " + name)}
			}
			return []finding{shellFinding(Known(s))}
		}
	}
	return nil
}

// scanFtp reads commands of ftp, sftp and lftp.
func scanFtp(text string) []finding {
	var out []finding
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		line = strings.TrimSpace(line)
		if command, ok := strings.CutPrefix(line, "!"); ok {
			out = append(out, shellFinding(Known(command)))
			continue
		}
		words := splitQuoted(line, " \t")
		if len(words) < 2 {
			continue
		}
		switch last := words[len(words)-1]; words[0] {
		case "put", "mput", "send", "append", "reput":
			out = append(out, finding{kind: findEffect, effect: Read, value: Known(words[1])})
		case "get", "mget", "recv", "reget", "pget":
			out = append(out, pathFinding(Write, last))
		case "mirror":
			kind := Write
			if isOneOf("-R", words...) || isOneOf("--reverse", words...) {
				kind = Read
			}
			out = append(out, finding{kind: findEffect, effect: kind, value: Known(last), deep: true})
		case "shell", "local":
			out = append(out, shellFinding(Known(strings.TrimSpace(strings.TrimPrefix(line, words[0])))))
		case "source":
			out = append(out, pathFinding(Execute, last))
		}
	}
	return out
}

// scanGnuplot reads commands of gnuplot.
func scanGnuplot(text string) []finding {
	var out []finding
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		line = strings.TrimSpace(line)
		if command, ok := strings.CutPrefix(line, "!"); ok {
			out = append(out, shellFinding(Known(command)))
			continue
		}
		if i := strings.Index(line, "system"); i >= 0 {
			s, n := leadingString(strings.TrimLeft(line[i+len("system"):], " ("))
			if n == 0 {
				out = append(out, opaque("it runs a command that is computed"))
			} else {
				out = append(out, shellFinding(Known(s)))
			}
		}
		if strings.Contains(line, "`") || strings.Contains(line, `"<`) || strings.Contains(line, `'<`) || strings.Contains(line, `"|`) || strings.Contains(line, "popen") || strings.HasPrefix(line, "shell") {
			out = append(out, opaque("it runs a command"))
		}
		switch name, arg, _ := strings.Cut(line, " "); name {
		case "load", "call":
			s, _ := leadingString(arg)
			out = append(out, pathFinding(Execute, s))
		case "set":
			if rest, ok := strings.CutPrefix(arg, "output "); ok {
				s, _ := leadingString(rest)
				out = append(out, pathFinding(Write, s))
			}
		}
	}
	return out
}

// scanLisp finds calls in Emacs Lisp whose first argument is a string.
func scanLisp(text string) []finding {
	var out []finding
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			_, n := quoted(text[i:], '"')
			i += n - 1
			continue
		case ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case '(':
		default:
			continue
		}
		rest := strings.TrimLeft(text[i+1:], " \n\t")
		end := strings.IndexAny(rest, " ()\n\t\"'")
		if end < 0 {
			continue
		}
		s, n := leadingString(rest[end:])
		out = append(out, lispCall(rest[:end], s, n > 0)...)
	}
	return out
}

func lispCall(name, arg string, known bool) []finding {
	switch name {
	case "shell-command", "async-shell-command", "shell-command-to-string", "call-process-shell-command", "compile", "start-process-shell-command", "shell-command-on-region", "process-lines":
		if !known {
			return []finding{opaque("it runs a command that is computed")}
		}
		return []finding{shellFinding(Known(arg))}
	case "call-process", "start-process", "make-process", "call-process-region", "start-file-process", "process-file", "eshell-command", "eval", "funcall", "apply", "tramp-handle-shell-command", "delete-file", "delete-directory", "rename-file", "copy-file", "set-file-modes", "make-symbolic-link", "url-retrieve", "url-retrieve-synchronously", "save-buffer", "eval-buffer", "eval-region":
		return []finding{opaque("it calls " + name)}
	case "write-region", "write-file", "append-to-file", "with-temp-file":
		if !known {
			return []finding{opaque("it writes a file that is computed")}
		}
		return []finding{pathFinding(Write, arg)}
	case "load", "load-file":
		if known {
			return []finding{pathFinding(Execute, arg)}
		}
	case "find-file", "insert-file-contents", "find-file-noselect":
		if known {
			return []finding{pathFinding(Read, arg)}
		}
	}
	return nil
}

// scanAppleScript finds the shell lines of AppleScript: do shell script, and
// do script of Terminal.
func scanAppleScript(text string) []finding {
	var out []finding
	lower := strings.ToLower(text)
	for _, verb := range []string{"do shell script", "do script", "write text", "keystroke"} {
		for from := 0; ; {
			i := strings.Index(lower[from:], verb)
			if i < 0 {
				break
			}
			from += i + len(verb)
			rest := text[from:]
			s, n := leadingString(rest)
			after := strings.TrimLeft(rest[min(n, len(rest)):], " ")
			if n == 0 || strings.HasPrefix(after, "&") {
				out = append(out, opaque("it runs a command that is computed"))
				continue
			}
			out = append(out, shellFinding(Known(s)))
		}
	}
	for _, verb := range []string{"run script", "load script", "delete ", "do javascript"} {
		if strings.Contains(lower, verb) {
			out = append(out, opaque("it does "+strings.TrimSpace(verb)))
		}
	}
	return out
}

// scanTeX finds commands of TeX that run a shell or Lua.
func scanTeX(text string) []finding {
	var out []finding
	for _, verb := range []string{`\write18{`, `\ShellEscape{`, `\input{|`, `\input|`, `\@@input|`} {
		for from := 0; ; {
			i := strings.Index(text[from:], verb)
			if i < 0 {
				break
			}
			from += i + len(verb)
			rest := text[from:]
			if strings.HasSuffix(verb, "{") {
				rest, _ = braced("{" + rest)
			}
			out = append(out, shellFinding(Known(strings.TrimRight(strings.Trim(rest, `"`), "}"))))
		}
	}
	if strings.Contains(text, `\directlua`) || strings.Contains(text, `\openout`) {
		out = append(out, opaque("it runs Lua or writes a file"))
	}
	return out
}

// scanRPM finds the macros of rpm that run a shell, %( ), or Lua.
func scanRPM(text string) []finding {
	var out []finding
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '%' && text[i+1] == '(' {
			n := balancedBy(text[i+1:], '(')
			out = append(out, shellFinding(Known(text[i+2:i+n])))
		}
	}
	if strings.Contains(text, "%{lua:") || strings.Contains(text, "%{load:") {
		out = append(out, opaque("it runs Lua or loads a file"))
	}
	return out
}
