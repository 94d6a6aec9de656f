// Package notes owns two Markdown files that outlive a session: what agents and the supervisor
// leave for those who come after them (Notes), and what failed before and how often (Learnings).
//
// People edit both. A file is a preamble and sections, each from a line "## …" to the next, and
// what is not ours in it stays as it is, byte for byte. What comes from outside is escaped so that
// it can begin no section and hide none.
package notes
