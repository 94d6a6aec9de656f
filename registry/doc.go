// Package registry reads the Markdown record of a delegation and knows the states of its sessions and agents:
// which changes are legal, and how they are written down.
//
// The record is one text file, docs/logs/delegation_registry.md, that people read and edit.
// It has two views: typed values (State), and a tree of lines that remembers every byte (Document).
// A change rewrites the lines of the values that changed and leaves the others alone,
// so people's words, their extra sections, comments and unknown fields survive.
//
// Who wants to know of a session needs Read and State.
// Document.Change, Tx, Next and Merge are for programs that write the record. They work on values in memory;
// nothing here writes to the disk.
package registry
