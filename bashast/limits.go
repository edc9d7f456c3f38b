package bashast

// The bounds of a reading. They are counted, never timed, so that a slow
// machine judges as a fast one. Over a bound the line is not read whole and
// says so with ProblemBound.
const (
	// maxText is the longest line read, in bytes. A here-document with a
	// quoted delimiter counts like any other text.
	maxText = 256 << 10
	// maxNesting is how deep substitutions, compound commands, expansions and
	// arithmetic parentheses may nest: both parsers behind this package are
	// recursive in some of them.
	maxNesting = 100
	// maxCommands is how many simple commands a line may hold.
	maxCommands = 3000
	// maxLandmarks is how many words, redirects and the like it may hold.
	maxLandmarks = 30_000
	// maxPrefixes is how many of !, time and coproc a command may have.
	maxPrefixes = 20
	// maxArithmetic is the longest arithmetic expression, in bytes: the second
	// parser is recursive in its operators.
	maxArithmetic = 4 << 10
	// maxRetries is how many double parentheses may turn out to be nested
	// subshells, which costs reading them twice.
	maxRetries = 16
	// maxSkeleton is the longest text given to tree-sitter, in bytes: about 1 µs
	// each, some hundred times the rest of a reading.
	maxSkeleton = 32 << 10
	// maxArguments is how many arguments of a command tree-sitter sees, and how
	// many items of a list. More of them cost time and decide no grammar.
	maxArguments = 2
	// maxPipeline is how many stages of one pipeline tree-sitter sees as a
	// pipeline: it is quadratic in them. The others it sees as a list.
	maxPipeline = 32
	// maxExtra is how many statements of the other reading are listed.
	maxExtra = 64
	// maxExtraText is how long they may be together, in bytes.
	maxExtraText = 64 << 10
)
