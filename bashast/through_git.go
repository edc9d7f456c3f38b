package bashast

import "strings"

// git adds what a verb starts beyond its words: an alias that the line or the
// repository defines.
func (l *looker) git(p *parsed) {
	if p.sub > 0 {
		return
	}
	for i := range p.uses {
		if p.uses[i].opt == nil {
			l.gitAlias(p, p.uses[i].word)
			return
		}
	}
}

// gitAlias adds the alias that the verb at word i may be. What git -c defines
// was added with the option.
func (l *looker) gitAlias(p *parsed, i int) {
	verb, ok := l.c.Words[i].Text()
	if !ok {
		l.problem(ProblemName, "which verb of git runs is not known", i)
		return
	}
	text, found := l.repositoryAlias(verb)
	if !found {
		return
	}
	if command, ok := strings.CutPrefix(text, "!"); ok {
		l.shell(Known(command), i)
		return
	}
	words := append([]Word{}, l.c.Words[:i]...)
	for _, piece := range splitQuoted(text, " \t\n") {
		words = append(words, Word{Value: Known(piece), Span: l.c.Words[i].Span})
	}
	l.argv(append(words, l.c.Words[i+1:]...))
}

// repositoryAlias is the alias of a verb in the repository's own config.
func (l *looker) repositoryAlias(verb string) (string, bool) {
	if l.env.Files == nil || l.env.Project == "" || isForeign(l.c) {
		return "", false
	}
	text, err := l.env.Files.ReadFile(l.env.Project+"/.git/config", maxScriptSize)
	if err != nil || len(text) > maxScriptSize {
		return "", false
	}
	section := ""
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && section == "[alias]" && strings.EqualFold(strings.TrimSpace(key), verb) {
			return gitConfigValue(value), true
		}
	}
	return "", false
}

// gitConfigValue takes quotes and escapes off a value of a git config file.
func gitConfigValue(s string) string {
	s = strings.TrimSpace(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] != '"':
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// aliasText adds the value of git -c alias.x=…: ! in front makes it a script.
func (l *looker) aliasText(v Value, word int) {
	if command, ok := behind(v, "!"); ok {
		l.shell(command, word)
		return
	}
	if v.Resolved() {
		words := []Word{{Value: Known("git"), Span: l.c.Span}}
		for _, piece := range splitQuoted(v.Texts()[0], " \t\n") {
			words = append(words, Word{Value: Known(piece), Span: l.c.Words[word].Span})
		}
		l.argv(words)
		return
	}
	l.problem(ProblemScript, "an alias of git is not known", word)
}

// gitSetting is git config with a name and a value: a program that it names
// runs with a later command, so it is judged where it is set.
func (l *looker) gitSetting(p *parsed) {
	var operands []*use
	for i := range p.uses {
		if u := &p.uses[i]; u.opt == nil && u.word > p.sub {
			operands = append(operands, u)
		}
	}
	if len(operands) > 0 {
		if verb, _ := p.of(operands[0]).Text(); verb == "set" {
			operands = operands[1:]
		}
	}
	if len(operands) < 2 {
		return
	}
	line := Concat(Concat(p.of(operands[0]), Known("=")), p.of(operands[1]))
	if r, v, ok := setting("set/git", line); ok {
		l.value(r, v, operands[1].word)
	}
}

// remoteHelper adds the command of a repository written ext::command
// (git-remote-ext(1)): a % in front keeps a blank from splitting it.
func (l *looker) remoteHelper(v Value, word int) {
	command, ok := behind(v, "ext::")
	if !ok {
		return
	}
	if t, known := command.Text(); known {
		command = Known(strings.ReplaceAll(t, "% ", " "))
	}
	l.shell(command, word)
}

// gitHooks follows the hooks that a verb runs, where the repository has them
// and they are scripts of a shell. What a manager of hooks has generated is
// known by its text: it starts the manager, which is a program of the project.
func (l *looker) gitHooks(p *parsed) {
	if p.has("-n") && p.row.name == "commit" || l.env.Files == nil || l.env.Project == "" || isForeign(l.c) {
		return
	}
	verb, _ := l.c.Words[p.sub].Text()
	for _, hook := range hooksOf(verb) {
		for _, dir := range []string{"/.git/hooks/", "/.husky/"} {
			file := l.env.Project + dir + hook
			text, err := l.readScript(file)
			if err != nil || isGeneratedHook(string(text)) || !l.isShellScript(file, text) {
				continue
			}
			l.inner(inner{
				kind: innerShell, script: Known(string(text)), file: file,
				via: Via{Kind: ViaScript, Name: hook, File: file, Line: 1},
			})
		}
	}
}

// hooksOf are the hooks that a verb of git runs (githooks(5)).
func hooksOf(verb string) []string {
	switch verb {
	case "commit":
		return []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}
	case "push":
		return []string{"pre-push"}
	case "merge", "pull":
		return []string{"pre-merge-commit", "post-merge"}
	case "rebase":
		return []string{"pre-rebase", "post-rewrite", "post-checkout"}
	case "switch", "worktree":
		return []string{"post-checkout"}
	case "am":
		return []string{"applypatch-msg", "pre-applypatch", "post-applypatch"}
	}
	return nil
}

// isGeneratedHook reports whether a hook was written by a manager of hooks.
func isGeneratedHook(text string) bool {
	for _, mark := range []string{"File generated by pre-commit: https://pre-commit.com", "lefthook", "husky.sh", "git lfs", "simple-git-hooks", "overcommit"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}
