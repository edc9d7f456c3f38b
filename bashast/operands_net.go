package bashast

import "strings"

// remote adds the effects of words that name hosts, URLs or sent data.
func (f *finder) remote(r role, v Value, word int, dir Value, deep bool) {
	switch r.kind {
	case roleHost, roleLookup:
		f.add(Network, hostOf(v), word, false)
		if r.kind == roleLookup && !v.Resolved() {
			f.out1().Send = true
		}
	case roleURL:
		f.url(v, word, dir)
	case roleFrom, roleTo, roleMirror:
		f.endpoint(r, v, word, dir, deep)
	case roleRemote:
		f.gitRemote(v, word, dir)
	case roleData:
		f.send = true
		if file, ok := behind(v, "@"); ok && !f.skip(file) {
			f.add(Read, absolute(dir, file, f.env), word, false)
		}
	case roleForm:
		f.send = true
		f.formField(v, word, dir)
	case roleSent:
		f.send = true
	case roleURLData, roleHeader, roleCookie:
		f.httpText(r.kind, v, word, dir)
	case roleMount:
		f.mount(v, word, dir)
	case roleSet:
		if inner, value, ok := setting(r.lang, v); ok {
			f.role(inner, value, word)
		} else if p := v.Prefix(); strings.Contains(p, "/") && !strings.ContainsAny(p, "= ") {
			f.add(Execute, absolute(dir, v, f.env), word, false)
		}
	case roleCode:
		f.code(r.lang, v, word)
	}
}

// httpText adds the file that a header, cookie or encoded field names.
func (f *finder) httpText(kind roleKind, v Value, word int, dir Value) {
	prefix := v.Prefix()
	at := strings.IndexByte(prefix, '@')
	equals := strings.IndexByte(prefix, '=')
	var file Value
	switch kind {
	case roleURLData:
		f.send = true
		if at < 0 || equals >= 0 && equals < at {
			return
		}
		file = cutPrefix(v, at+1)
	case roleHeader:
		if at != 0 {
			return
		}
		f.send = true
		file = cutPrefix(v, 1)
	default:
		if equals >= 0 {
			return
		}
		file = v
	}
	if !f.skip(file) {
		f.add(Read, absolute(dir, file, f.env), word, false)
	}
}

// behind is v without the mark it begins with.
func behind(v Value, mark string) (Value, bool) {
	if !strings.HasPrefix(v.Prefix(), mark) {
		return Value{}, false
	}
	return cutPrefix(v, len(mark)), true
}

// url adds a network effect, or a read where a file: URL names a path.
func (f *finder) url(v Value, word int, dir Value) {
	if file, ok := behind(v, "file://"); ok {
		f.add(Read, absolute(dir, file, f.env), word, false)
		return
	}
	f.add(Network, v, word, false)
}

// formField adds the file of a form field: name=@path or name=<path.
func (f *finder) formField(v Value, word int, dir Value) {
	prefix := v.Prefix()
	i := strings.IndexByte(prefix, '=')
	if i < 0 || i+1 >= len(prefix) || prefix[i+1] != '@' && prefix[i+1] != '<' {
		return
	}
	file := cutPrefix(v, i+2)
	if t, ok := file.Text(); ok {
		t, _, _ = strings.Cut(t, ";")
		file = Known(strings.Trim(t, `"`))
	}
	if !f.skip(file) {
		f.add(Read, absolute(dir, file, f.env), word, false)
	}
}

// hostOf is the host in user@host, host:port or a URL-like text.
func hostOf(v Value) Value {
	t, ok := v.Text()
	if !ok {
		return v
	}
	if _, rest, found := strings.Cut(t, "://"); found {
		t, _, _ = strings.Cut(rest, "/")
	} else if rest, found := strings.CutPrefix(t, "//"); found {
		t, _, _ = strings.Cut(rest, "/")
	}
	if i := strings.LastIndexByte(t, '@'); i >= 0 {
		t = t[i+1:]
	}
	return Known(t)
}

// endpoint adds the effects of an operand of scp or rsync: [user@]host:path,
// a URL, or a path here.
func (f *finder) endpoint(r role, v Value, word int, dir Value, deep bool) {
	host, ok := remoteHost(v.Prefix())
	if ok {
		if v.Resolved() {
			f.add(Network, Known(host), word, false)
		} else {
			f.add(Network, Partial(host, "", v.Why()), word, false)
		}
		f.out1().Send = r.kind != roleFrom
		return
	}
	switch {
	case r.kind == roleMirror:
		f.add(Write, absolute(dir, v, f.env), word, deep)
		f.add(Delete, absolute(dir, v, f.env), word, true)
	case r.kind == roleTo:
		f.add(Write, absolute(dir, v, f.env), word, deep)
	case !f.skip(v):
		f.add(Read, absolute(dir, v, f.env), word, deep)
	}
}

// remoteHost is the host of host:path, user@host:path or scheme://host/path.
// As in scp and rsync, a slash in front of the colon makes it a path.
func remoteHost(text string) (string, bool) {
	if scheme, rest, ok := strings.Cut(text, "://"); ok && !strings.ContainsAny(scheme, "/.") {
		host, _, _ := strings.Cut(rest, "/")
		return hostText(host), host != ""
	}
	i := strings.IndexByte(text, ':')
	if i <= 0 || strings.ContainsRune(text[:i], '/') {
		return "", false
	}
	return hostText(text[:i]), true
}

func hostText(host string) string {
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	return host
}

// gitRemote adds the host of a git repository: a URL, host:path, a path here,
// or the name of a remote, which stays as it is written.
func (f *finder) gitRemote(v Value, word int, dir Value) {
	t, ok := v.Text()
	switch {
	case !ok:
		f.add(Network, v, word, false)
	case strings.HasPrefix(t, "ext::"):
	case strings.HasPrefix(t, "file://"):
		f.add(Read, absolute(dir, Known(t[len("file://"):]), f.env), word, true)
	case strings.HasPrefix(t, "/") || strings.HasPrefix(t, "."):
		f.add(Read, absolute(dir, v, f.env), word, true)
	default:
		if host, ok := remoteHost(t); ok {
			v = Known(host)
		}
		f.add(Network, v, word, false)
	}
}

// mount adds the effects of a volume source:target[:mode] or of a mount
// written type=bind,source=…,target=…: the container may write it unless it is
// mounted read-only. A name without a slash is a volume, not a path.
func (f *finder) mount(v Value, word int, dir Value) {
	text := v.Prefix()
	source, mode := text, ""
	if strings.Contains(text, "=") && !strings.HasPrefix(text, "/") {
		source, mode = mountFields(text)
	} else if i := strings.IndexByte(text, ':'); i >= 0 {
		source = text[:i]
		if j := strings.LastIndexByte(text, ':'); j > i {
			mode = text[j+1:]
		}
	} else if v.Kind() == KnownKind {
		return
	} else {
		f.add(Write, Unknown(v.Why()), word, true)
		return
	}
	if !strings.HasPrefix(source, "/") && !strings.HasPrefix(source, ".") {
		if source == "" && v.Kind() != KnownKind {
			f.add(Write, Unknown(v.Why()), word, true)
		}
		return
	}
	kind := Write
	for _, o := range strings.Split(mode, ",") {
		if o == "ro" || o == "readonly" {
			kind = Read
		}
	}
	f.add(kind, absolute(dir, Known(source), f.env), word, true)
}

// mountFields reads the fields of docker run --mount.
func mountFields(text string) (source, mode string) {
	for _, field := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "source", "src":
			source = value
		case "readonly", "ro":
			if value != "false" {
				mode = "ro"
			}
		}
	}
	return source, mode
}
