package bashast

// lookThrough lists what c starts besides itself, from the tables of wrappers
// and interpreters, following files through env (B4, B5, B6).
func lookThrough(*Command, Env) []inner { return nil }

// output is the text c prints on standard output where it is fixed by its
// words and standard input: echo, printf, cat of a here-document, base64 -d.
func output(*Command, Env) Value { return Unknown("the output of a program") }

// effects lists what c itself does to paths and hosts, from the table of
// operand roles (B19). Targets are absolute: relative ones are read against c.Dir.
func effects(*Command, Env) []Effect { return nil }
