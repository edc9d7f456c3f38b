package bashast

// options are those of set and shopt that matter to what runs (bash manual
// 4.3). An option is on, off, or not known.
type options struct{ on, unknown shellOption }

type shellOption uint32

const (
	optAllexport shellOption = 1 << iota
	optErrexit
	optNoglob
	optNounset
	optNoexec
	optPipefail
	optXtrace
	optBraceExpand
	optExtglob
	optNullglob
	optFailglob
	optDotglob
	optGlobstar
	optNocaseglob
	optNocasematch
	optExpandAliases
	optLastpipe
	optAssocExpandOnce
	optPosix
	optExecfail
	optCdableVars
	optAutocd
	optSourcepath
	optInheritErrexit
	optFunctrace
	optNoclobber
	optPhysical
	optKeyword
	optXpgEcho
	optPrivileged
)

// setOptions are the long names of set -o.
var setOptions = map[string]shellOption{
	"allexport": optAllexport, "errexit": optErrexit, "noglob": optNoglob, "nounset": optNounset,
	"noexec": optNoexec, "pipefail": optPipefail, "xtrace": optXtrace, "braceexpand": optBraceExpand,
	"posix": optPosix, "functrace": optFunctrace, "noclobber": optNoclobber, "physical": optPhysical,
	"keyword": optKeyword, "privileged": optPrivileged,
}

// setLetters are the short names of set.
var setLetters = map[byte]shellOption{
	'a': optAllexport, 'e': optErrexit, 'f': optNoglob, 'u': optNounset, 'n': optNoexec, 'x': optXtrace,
	'B': optBraceExpand, 'T': optFunctrace, 'C': optNoclobber, 'P': optPhysical, 'k': optKeyword,
	'p': optPrivileged,
}

// shoptOptions are the names of shopt.
var shoptOptions = map[string]shellOption{
	"extglob": optExtglob, "nullglob": optNullglob, "failglob": optFailglob, "dotglob": optDotglob,
	"globstar": optGlobstar, "nocaseglob": optNocaseglob, "nocasematch": optNocasematch,
	"expand_aliases": optExpandAliases, "lastpipe": optLastpipe, "assoc_expand_once": optAssocExpandOnce,
	"execfail": optExecfail, "cdable_vars": optCdableVars, "autocd": optAutocd, "sourcepath": optSourcepath,
	"inherit_errexit": optInheritErrexit, "xpg_echo": optXpgEcho,
}

func (o options) get(bit shellOption) tri {
	switch {
	case o.unknown&bit != 0:
		return maybe
	case o.on&bit != 0:
		return yes
	}
	return no
}

// with is o after the option is set to t.
func (o options) with(bit shellOption, t tri) options {
	o.on &^= bit
	o.unknown &^= bit
	switch t {
	case yes:
		o.on |= bit
	case maybe:
		o.unknown |= bit
	}
	return o
}

func joinOptions(a, b options) options {
	return options{on: a.on & b.on, unknown: a.unknown | b.unknown | (a.on ^ b.on)}
}
