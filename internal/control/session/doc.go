// Package session holds what a person's commands and the supervisor share: the private folder of a session on disk
// (messages that wait, open violations and conflicts, commands of a file, who supervises) and what the registry's
// state means for both, such as which agents may start.
//
// It starts nothing and decides nothing about an agent; internal/control and internal/supervise do.
package session
