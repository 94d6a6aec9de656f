// Package registry owns the Markdown record of a delegation and the state machine of its agents:
// which changes are legal, how they are written down, and how nothing that was written is ever lost.
//
// The record is one text file that people read and edit.
// It has two views: typed values (State), and a tree of lines that remembers every byte.
// A write changes the lines of the values that changed and leaves the others alone,
// so people's words, their extra sections, comments and unknown fields survive.
//
// A Store reads and writes the file.
// Every write happens under a lock: read again, restore what was lost, apply, print, read back,
// compare, replace, remember.
// A file that does not parse is never overwritten.
package registry
