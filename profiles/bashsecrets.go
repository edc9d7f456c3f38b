package profiles

import (
	"path"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// judgeNamedSecrets asks about secrets that a command names otherwise than by
// a path: a file of a revision, a search for such files whose content another
// command is given (F11).
func (b *bashJudge) judgeNamedSecrets() {
	for i := range b.facts.Program.Commands {
		c := &b.facts.Program.Commands[i]
		switch c.Name() {
		case "git":
			b.judgeRevisionFiles(c)
		case "find", "fd", "fdfind", "locate", "rg", "ls":
			if len(b.facts.Program.Commands) > 1 {
				b.judgeSearchedSecrets(c)
			}
		}
	}
}

func (b *bashJudge) judgeRevisionFiles(c *bashast.Command) {
	call := argv{command: c, name: "git", table: b.gates}
	call.splitOperands()
	if len(call.operands) == 0 || !call.wordIs(call.operands[0], []string{"show", "cat-file", "blame", "diff", "archive", "hash-object", "annotate"}) {
		return
	}
	for _, at := range call.operands[1:] {
		text, known := c.Words[at].Text()
		if !known {
			continue
		}
		b.judgeSecretName(text[strings.LastIndexByte(text, ':')+1:], c.Words[at].Span)
	}
}

func (b *bashJudge) judgeSecretName(name string, span bashast.Span) {
	full := path.Join("/x", name)
	r := paths.Resolved{Raw: name, Lexical: full, Canonical: full}
	if id, reason := b.policy.SecretReason(b.mode.Name, &r); id != "" {
		b.addSecret(id, name, reason, span)
	}
}

func (b *bashJudge) judgeSearchedSecrets(c *bashast.Command) {
	for _, w := range c.Words[1:] {
		text, known := w.Text()
		if !known || text == "" || text[0] == '-' || text[0] == '!' || text == "." {
			continue
		}
		if s := b.policy.searched(text); s != nil {
			if id, _ := b.policy.SecretReason(b.mode.Name, &paths.Resolved{Lexical: "/x/.env", Canonical: "/x/.env"}); id != "" {
				b.addSecret("secret:"+s.id, text, s.reason, w.Span)
			}
			return
		}
	}
}

func (b *bashJudge) addSecret(id, target, reason string, span bashast.Span) {
	b.v.Add(Opinion{
		Layer: LayerPath, Surface: SurfacePath, Action: Ask, Origin: OriginPattern, Rule: id, Target: target, Name: target,
		Reason: reason, Safer: "ask the person for the one value that is needed, or read the template beside it",
		Start: span.Start, End: span.End,
	})
}
