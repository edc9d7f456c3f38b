// Package ledger keeps the evidence of what really ran: append-only records
// chained under a key outside the project, tasks and their contracts, the gate
// before handoff, the audit of every call, and review snapshots (spec section
// 6, H6, H8, H9, N6).
//
// The chain shows accidents and clumsy edits, and whatever an agent does to
// the project's files. It does not stop a determined process of the same
// account that reads the key from the data directory.
package ledger
