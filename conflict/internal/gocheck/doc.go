// Package gocheck owns the decision what a Go tree would say if it were compiled:
// it runs Go's type checker over packages of a tree that need not be on disk, and starts no program.
//
// Two branches may merge without a conflict of text and give a tree that does not compile.
// An error that the merged tree has and neither branch has is proof of that.
// Therefore everything here leans to one side: a doubtful error is left out, and what it hung on is
// named in Report.Unresolved.
//
// # Where packages come from
//
// The modules of the tree itself (go.mod, go.work, replacements by a folder, vendor folders), the
// sources of the standard library, and the module cache. Dependencies are checked without function
// bodies, since only their declarations matter.
//
// # Tests
//
// Like the go command, a check of tests sees the tested package with its in-package test files,
// and so does every package between the two: those are checked again for it.
// That needs no case of its own, because packages are known by content; see the next section.
//
// # What is kept
//
// A package's key is the digest of its files and of the keys of all it imports. Equal keys are one
// package in memory, so two trees that differ in one package share all packages which do not need
// that one, and the identity of types holds across trees.
//
// # What is not looked at
//
// Build tags beyond those of this system, what cgo generates, go.sum, embedded files, assembly, and
// everything that only the linker knows. C code counts as correct.
package gocheck
