package bashast

import "strings"

// scanSQL finds what the clients of databases do beyond SQL: psql's \!, \o,
// \i and \copy, mysql's \! and system, sqlite3's dot commands, and the clauses
// of SQL that reach the server's files.
func scanSQL(text string) []finding {
	var out []finding
	eachLine(text, func(line string) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "."):
			out = append(out, sqliteDot(line)...)
		default:
			out = append(out, sqlBackslash(line)...)
			out = append(out, mysqlWord(line)...)
		}
	})
	return append(out, sqlFunctions(text)...)
}

// sqliteDot is a dot command of sqlite3.
func sqliteDot(line string) []finding {
	words := splitQuoted(line, " \t")
	if len(words) < 2 {
		return nil
	}
	arg := words[1]
	rest := strings.TrimSpace(strings.TrimPrefix(line, words[0]))
	switch name := words[0]; {
	case len(name) > 2 && (strings.HasPrefix(".shell", name) || strings.HasPrefix(".system", name)):
		return []finding{shellFinding(Known(rest))}
	case strings.HasPrefix(arg, "|"):
		return []finding{shellFinding(Known(strings.TrimLeft(strings.Trim(rest, `"'`), "| ")))}
	case isOneOf(name, ".output", ".once", ".backup", ".save", ".log", ".clone", ".trace", ".dump", ".out"):
		return []finding{pathFinding(Write, words[len(words)-1])}
	case isOneOf(name, ".load"):
		return []finding{pathFinding(Execute, arg)}
	case isOneOf(name, ".read", ".import", ".restore", ".open"):
		return []finding{pathFinding(Read, arg)}
	}
	return nil
}

// sqlBackslash is a meta command of psql or mysql, anywhere in the line.
func sqlBackslash(line string) []finding {
	var out []finding
	for i := 0; i+1 < len(line); i++ {
		if line[i] == '\'' {
			_, n := quoted(line[i:], '\'')
			i += n - 1
			continue
		}
		if line[i] != '\\' {
			continue
		}
		rest := line[i+1:]
		name, arg, _ := strings.Cut(rest, " ")
		arg = strings.TrimSpace(arg)
		file := strings.Trim(firstField(arg), `'"`)
		switch {
		case rest[0] == '!':
			return append(out, shellFinding(Known(strings.TrimLeft(rest, "! "))))
		case isOneOf(name, "o", "g", "gx", "w", "out", "write", "s") && strings.HasPrefix(arg, "|"):
			return append(out, shellFinding(Known(strings.TrimLeft(arg, "| "))))
		case isOneOf(name, "o", "g", "gx", "w", "out", "write", "s", "T", "tee") && file != "":
			out = append(out, pathFinding(Write, file))
		case isOneOf(name, "i", "ir", "include", "include_relative", ".") && file != "":
			out = append(out, pathFinding(Read, file))
		case name == "copy" || name == "COPY":
			out = append(out, sqlCopy(arg)...)
		case name == "setenv" || name == "e" || name == "edit":
			out = append(out, opaque("it starts an editor or changes the environment"))
		}
	}
	return out
}

func firstField(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}

// sqlCopy is \copy: TO and FROM a file, or a PROGRAM.
func sqlCopy(arg string) []finding {
	words := splitQuoted(arg, " \t")
	for i, w := range words {
		kind := Write
		switch strings.ToLower(w) {
		case "to":
		case "from":
			kind = Read
		default:
			continue
		}
		if i+1 >= len(words) {
			return nil
		}
		if strings.EqualFold(words[i+1], "program") && i+2 < len(words) {
			return []finding{shellFinding(Known(words[i+2]))}
		}
		if isOneOf(strings.ToLower(words[i+1]), "stdin", "stdout", "pstdin", "pstdout") {
			return nil
		}
		return []finding{pathFinding(kind, words[i+1])}
	}
	return nil
}

// mysqlWord is a command of the mysql client that is a word.
func mysqlWord(line string) []finding {
	name, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSuffix(strings.TrimSpace(arg), ";")
	switch strings.ToLower(name) {
	case "system":
		return []finding{shellFinding(Known(arg))}
	case "source":
		return []finding{pathFinding(Read, arg)}
	case "tee":
		return []finding{pathFinding(Write, arg)}
	case "pager", "edit":
		return []finding{shellFinding(Known(arg))}
	}
	return nil
}

// sqlFunctions are clauses of SQL by which a server starts programs or opens
// files of its own.
func sqlFunctions(text string) []finding {
	lower := strings.ToLower(text)
	var out []finding
	for _, w := range []string{"load_extension(", "xp_cmdshell", "sys_exec(", "sys_eval(", "dbms_scheduler", "utl_file"} {
		if strings.Contains(lower, w) {
			out = append(out, opaque("it uses "+strings.TrimSuffix(w, "(")))
		}
	}
	for _, clause := range []struct {
		text string
		kind EffectKind
	}{{"into outfile", Write}, {"into dumpfile", Write}, {"writefile(", Write}, {"load_file(", Read}, {"readfile(", Read}, {"infile", Read}, {"attach database", Write}, {"attach '", Write}, {"vacuum into", Write}} {
		i := strings.Index(lower, clause.text)
		if i < 0 {
			continue
		}
		rest := text[i+len(strings.TrimRight(clause.text, "'")):]
		if s, n := leadingString(rest); n > 0 {
			out = append(out, pathFinding(clause.kind, s))
		}
	}
	if i := strings.Index(lower, "program '"); i >= 0 && strings.Contains(lower, "copy") {
		s, _ := leadingString(text[i+len("program "):])
		out = append(out, shellFinding(Known(s)))
	}
	return out
}
