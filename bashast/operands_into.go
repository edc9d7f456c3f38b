package bashast

import (
	"path"
	"strings"
)

// maxInto bounds the names that a command puts into its destination.
const maxInto = 64

// intoDirectory adds, for commands whose destination may be a directory, the
// names that the sources get in it: cp a dir writes dir/a (POSIX cp, mv, ln).
func intoDirectory(c *Command, env Env, found []Effect) []Effect {
	switch c.Name() {
	case "cp", "mv", "ln", "install", "rsync", "gcp", "gmv":
	default:
		return found
	}
	dest, at := destination(found)
	if at < 0 || plainFile(dest, env) || hasAnyShort(c, "T") || hasLong(c, "--no-target-directory") {
		return found
	}
	out := found
	for i := range found {
		e := &found[i]
		if e.Word < 0 || e.Word == found[at].Word || e.Kind != Read && e.Kind != Delete || len(out)-len(found) > maxInto {
			continue
		}
		out = appendInto(out, e, dest)
	}
	return out
}

func appendInto(out []Effect, source *Effect, dest Value) []Effect {
	into := Effect{Kind: Write, Word: source.Word, Recursive: source.Recursive, Span: source.Span}
	if !source.Target.Resolved() {
		if dir, ok := dest.Text(); ok && source.Target.Below() {
			into.Target = Glob(strings.TrimSuffix(dir, "/")+"/", source.Target.Suffix(), source.Target.Why())
			return append(out, into)
		}
		return out
	}
	for _, text := range source.Target.Texts() {
		if base := path.Base(text); base != "/" && base != "." {
			into.Target = Concat(dest, Known("/"+base))
			out = append(out, into)
		}
	}
	return out
}

// destination is the last write of an operand; -1 for none.
func destination(found []Effect) (Value, int) {
	for i := len(found) - 1; i >= 0; i-- {
		if found[i].Kind == Write && found[i].Word > 0 && found[i].Target.Resolved() {
			return found[i].Target, i
		}
	}
	return Value{}, -1
}

// plainFile reports whether a destination surely is a file that exists.
func plainFile(dest Value, env Env) bool {
	text, ok := dest.Text()
	if !ok || env.Files == nil {
		return false
	}
	info, err := env.Files.Stat(text)
	return err == nil && !info.IsDir()
}

// allEffects is what the table says of a command, and the names it puts into
// a directory.
func allEffects(c *Command, env Env) []Effect { return intoDirectory(c, env, effects(c, env)) }
