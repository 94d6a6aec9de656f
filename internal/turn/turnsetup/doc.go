// Package turnsetup makes what a turn runs in: the agent's folders, the hooks of its program and of its git, the fence
// around its processes, and its configuration and logins.
package turnsetup
