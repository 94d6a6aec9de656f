// Package agentdir reads and writes an agent's own folder, which lies outside of its worktree. The
// agent can put anything there, so nothing that is read is trusted, and no link is followed out of it.
// Layers inside of the fence report refused operations through it.
package agentdir
