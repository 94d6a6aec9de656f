// Package registry reads and changes the registry: the Markdown file docs/logs/delegation_registry.md, in which
// delegate records its sessions and agents. It also defines the states of agents and sessions, and which transitions
// are legal.
//
// To read what the registry says, call [Read]:
//
//	state, err := registry.Read("docs/logs/delegation_registry.md")
//	if err != nil {
//		return err // fs.ErrNotExist, a *registry.SyntaxError or a *registry.VersionError
//	}
//	for _, a := range state.Agents {
//		fmt.Println(a.ID, a.Status, a.Subtask)
//	}
//
// [Document.Change], [Tx], [Next] and [Merge] are for programs that write the registry. They work on values in memory;
// nothing in this package writes a file.
//
// People read and edit the file too. A [Document] therefore has two views of it: typed values ([State]), and all lines
// as they are written. A change rewrites only the lines of the values that it changes, so that text, sections, comments
// and unknown fields of people remain byte for byte.
//
// A session is one delegation: a plan whose subtasks are given to agents. An agent is one subtask and the program that
// works on it in a worktree and branch of its own. A turn is one run of that program, and an attempt is one try at the
// subtask, with one branch and one or more turns. The target is the branch that finished work is merged into.
package registry
