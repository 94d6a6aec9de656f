// Package guard decides what an agent's tool may do, before it does it: the question that an agent
// program's pre-tool hook asks, and those that git's hooks ask before a commit and a push.
//
// It gives early refusals with a reason that the model can act on, and a record of what was tried.
// It is no fence: programs go on when a hook crashes, git has words to leave its hooks out, and a
// shell command is judged by its plain words alone, so variables, scripts and other interpreters
// hide what they do. What an agent wrote is judged again, from the files themselves, before
// anything lands.
//
// Whatever cannot be understood is an error, never a permission.
package guard
