// Package control is what a person's commands do to a session: each writes the registry and the private folder, and
// nothing else. The supervisor, another process, carries it out; this package knows nothing of it but what is on disk.
package control
