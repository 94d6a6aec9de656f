// Package sitter reads source files with tree-sitter: a language says in a Grammar what the nodes
// of its syntax tree mean, and the Reader lists definitions, imports and references by it.
//
// Grammars are C code, so that a build without a C compiler has nothing of this package but these words.
package sitter
