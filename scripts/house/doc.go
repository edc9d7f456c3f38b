// Package house tests what holds for the repository as a whole: which room
// may import which, that the extension fits every release of pi, that the
// commands in the documentation do what the documentation says.
package house
