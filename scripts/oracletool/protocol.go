package main

import "time"

// request is one line for the jail to run.
type request struct {
	Line string
	// Status and Output are what every stub that does not become a real
	// program exits with and prints.
	Status int
	Output string
	// Real are names of programs that are themselves for this line.
	Real []string
	// Limit is how long the line may take; 0 means lineTime.
	Limit time.Duration
}

// observation is what bash did with a line.
type observation struct {
	Starts  []start
	Changes []change
	// Exit is the status of the shell, -1 when a signal ended it.
	Exit int
	// TimedOut is true when the line was killed at its limit: what is here
	// happened, more may have been to come.
	TimedOut bool
	// Said is the beginning of what the line printed, both streams together.
	Said string
}

// start is one program that was started.
type start struct {
	Argv []string
	Dir  string
	// Path is what the kernel was asked to run: the program, or the script
	// whose first line names it. Empty for a name that bash did not find.
	Path string
	// Parent is the program that started it.
	Parent string
}

// change is one path that a line left other than it was.
type change struct {
	Path string
	Kind changeKind
}

// changeKind says how a path was changed.
type changeKind string

const (
	created changeKind = "created"
	deleted changeKind = "deleted"
	altered changeKind = "altered" // other content, type or mode
	touched changeKind = "touched" // opened for writing, or renewed, with the same content
)
