package bashast

import "strings"

// role is what a word of a command means to the world (B19).
type role struct {
	kind roleKind
	// deep is true when everything below the path is meant.
	deep bool
	// first is true when the path is read against the directory in force at
	// the start, not against one that an option set.
	first bool
	// lang is the language of a program text or program file.
	lang string
}

type roleKind uint8

const (
	roleText    roleKind = iota // no path: a number, pattern, revision, message, name
	rolePath                    // a path is read if the word looks like one
	roleRead                    // a path whose content is read
	roleMeta                    // a path of which only names, sizes and times are read
	roleWrite                   // a path that is created or overwritten
	roleEdit                    // a path that is read and written
	roleDelete                  // a path that is removed
	roleMove                    // a path that is read and removed
	roleExec                    // a path that is run or loaded as code
	roleLoad                    // a path that is loaded as code, unless it is the bare name of a package
	roleSQL                     // a file of SQL
	roleSetFile                 // NAME=path or path that is read
	roleQuoted                  // a command between quotes (TOML)
	roleChmod                   // a path whose mode, owner or attributes change
	roleDir                     // the directory in force for what follows
	roleHost                    // a host that is spoken to
	roleLookup                  // a name that is looked up: computed parts carry data out
	roleURL                     // a URL, or a path where it has no scheme
	roleFrom                    // host:path or path, read
	roleTo                      // host:path or path, written
	roleData                    // text that is sent, @path a file that is sent
	roleForm                    // name=text or name=@path that is sent
	roleSend                    // a path that is read and sent
	roleRemote                  // a git remote: name, URL or path
	roleMirror                  // host:path or path, of which all that is not in the source is removed
	roleMount                   // source:target[:mode] of a container
	roleSent                    // text that is sent
	roleURLData                 // name@path, @path or text that is sent
	roleHeader                  // text, or @path that is sent
	roleCookie                  // a path, unless it holds a =
	roleHelper                  // a program's name, or ! and a script (credential.helper)
	roleSet                     // KEY=VALUE, whose role is in the row named lang
	roleArgv                    // the first word of a command
	roleCommand                 // one word that holds a command without a shell
	roleShell                   // one word that a shell runs
	roleShells                  // this word and the rest are joined and run by a shell
	roleCode                    // program text of lang
	roleScript                  // a shell script file; the rest are its arguments
	roleProgram                 // a program file of lang; the rest are its arguments
	roleAssign                  // NAME=VALUE words in front of a command
	roleSpecial                 // known to the row's Go code only
)

// roleNames are the names of roles in the table.
var roleNames = map[string]roleKind{
	"path": rolePath, "read": roleRead, "meta": roleMeta, "write": roleWrite,
	"edit": roleEdit, "delete": roleDelete, "move": roleMove, "exec": roleExec, "load": roleLoad, "sqlfile": roleSQL,
	"setfile": roleSetFile, "quoted": roleQuoted, "cargocmd": roleText,
	"chmod": roleChmod, "cd": roleDir, "host": roleHost, "lookup": roleLookup,
	"url": roleURL, "from": roleFrom, "to": roleTo, "data": roleData,
	"form": roleForm, "send": roleSend, "remote": roleRemote, "mount": roleMount,
	"mirror": roleMirror, "set": roleSet,
	"sent": roleSent, "urldata": roleURLData, "header": roleHeader,
	"cookie": roleCookie, "helper": roleHelper,
	"argv": roleArgv, "command": roleCommand, "shell": roleShell,
	"shells": roleShells, "code": roleCode, "script": roleScript,
	"program": roleProgram, "assign": roleAssign, "special": roleSpecial,
	// Names that only document what the text is.
	"text": roleText, "num": roleText, "pattern": roleText, "rev": roleText,
	"user": roleText, "mode": roleText, "name": roleText, "time": roleText,
	"message": roleText, "sub": roleText,
}

func parseRole(text string) role {
	var r role
	text, r.first = strings.CutPrefix(text, "^")
	text, r.deep = strings.CutSuffix(text, "/")
	text, r.lang, _ = strings.Cut(text, ":")
	kind, ok := roleNames[text]
	if !ok {
		panic("bashast: the table of commands names a role that does not exist: " + text)
	}
	r.kind = kind
	return r
}

// runs reports whether a word of this role is a command or program text.
func (r role) runs() bool {
	return r.kind >= roleArgv && r.kind <= roleProgram || r.kind == roleSet || r.kind == roleSQL || r.kind == roleRemote
}
