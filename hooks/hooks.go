// Package hooks carries pi's events through the guard. Each event has a file;
// all work on one Session. A tool call takes one way: facts are gathered,
// profiles judges them, an ask is answered, and what happened is recorded.
package hooks
