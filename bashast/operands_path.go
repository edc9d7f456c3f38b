package bashast

import (
	"path"
	"strings"
)

// absolute is the path v read against dir. What cannot be known of it is said
// by the value's kind.
func absolute(dir, v Value, env Env) Value {
	switch v.Kind() {
	case KnownKind:
		return absoluteText(dir, textOf(&v), env)
	case OneOfKind:
		var all []string
		for _, t := range v.Texts() {
			one := absoluteText(dir, t, env)
			if !one.Resolved() {
				return one
			}
			all = append(all, one.Texts()...)
		}
		return OneOf(all...)
	case PartialKind:
		return absolutePartial(dir, v)
	}
	return v
}

func absoluteText(dir Value, text string, env Env) Value {
	if strings.HasPrefix(text, "/") {
		return Known(clean(text, env))
	}
	switch dir.Kind() {
	case KnownKind:
		return Known(clean(joinPath(textOf(&dir), text), env))
	case OneOfKind:
		all := make([]string, len(dir.Texts()))
		for i, d := range dir.Texts() {
			all[i] = clean(joinPath(d, text), env)
		}
		return OneOf(all...)
	case PartialKind:
		return Partial(dir.Prefix(), "/"+text, dir.Why())
	}
	why := dir.Why()
	if why == "" {
		why = "the directory in force is not known"
	}
	return Partial("", "/"+text, why)
}

func joinPath(dir, text string) string {
	if text == "." || text == "" {
		return dir
	}
	return dir + "/" + text
}

// clean is the lexically clean form of an absolute path. A .. behind a
// component that is a symlink is resolved as the kernel does it, where files
// can be seen.
func clean(p string, env Env) string {
	if i := strings.Index(p, "/../"); i > 0 && env.Files != nil {
		if real, err := env.Files.EvalSymlinks(p[:i]); err == nil {
			return clean(path.Dir(real)+p[i+3:], env)
		}
	}
	return path.Clean(p)
}

// absolutePartial joins a value of which the beginning is known; a .. in the
// known beginning is taken away, so that a judgement by prefix is sound.
func absolutePartial(dir, v Value) Value {
	prefix := v.Prefix()
	if prefix == "" {
		return v
	}
	if prefix[0] != '/' {
		base, ok := dir.Text()
		if !ok {
			return Partial(dir.Prefix(), v.Suffix(), v.Why())
		}
		prefix = base + "/" + prefix
	}
	cut := strings.LastIndexByte(prefix, '/')
	head, tail := prefix[:cut], prefix[cut+1:]
	head = path.Clean(head + "/")
	if head != "/" {
		head += "/"
	}
	if v.Below() {
		return Glob(head+tail, v.Suffix(), v.Why())
	}
	return Partial(head+tail, v.Suffix(), v.Why())
}

// belowDir is the value that is a path below dir, ending in suffix: what find
// prints there.
func belowDir(dir, suffix, why string) Value {
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	return Glob(dir, suffix, why)
}

// looksLikePath reports whether an operand of an unknown command is taken for
// a path: it is one by its form, and not a URL or an option.
func looksLikePath(text string) bool {
	if text == "" || text[0] == '-' || strings.Contains(text, "://") {
		return false
	}
	if text[0] == '/' || text[0] == '~' || text == "." || text == ".." {
		return true
	}
	if strings.ContainsAny(text, "\n\t {}()|;<>\"'`$*\\^") {
		return false
	}
	if text[0] == '.' {
		return true
	}
	return strings.Contains(text, "/") && !strings.Contains(text, "@") && !strings.Contains(text, ":")
}

// isStream reports whether a path is a standard stream or the null device,
// reading or writing which changes nothing.
func isStream(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/")
}

// textOf is the text of a value that is known, else "".
func textOf(v *Value) string {
	t, _ := v.Text()
	return t
}
