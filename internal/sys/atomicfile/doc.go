// Package atomicfile owns the decision how a file that several programs write
// is locked, compared and replaced without ever losing a version that another program saved.
//
// Three kinds of crash are covered: a killed process, a full disk and a power cut.
// After each, the path holds either the old bytes or the new ones.
//
// Replace also covers a writer that does not know the lock, a person's editor.
// Where the platform can exchange two files in one step (Linux, macOS),
// the new file changes places with the old one and the displaced bytes are looked at afterwards:
// if they are not what the caller had read, another program saved in between,
// and the caller gets those bytes to merge.
//
// # Files left behind
//
// Next to a file NAME two kinds of temporary file appear, and a killed writer may leave them:
//
//   - .NAME.new-* is being written. It never was in place and is removed.
//   - .NAME.tmp-NEW-OLD is complete and about to change places; NEW and OLD are digests of the new
//     bytes and the expected ones. If its content has the digest NEW, it never was exchanged; if it
//     has the digest OLD, it is the expected old file.
//     Both are removed. Any other content was displaced and is another program's version:
//     it is renamed to NAME.displaced-N and stays until a caller has merged it.
//
// This tidying happens under the caller's lock at the start of Recover and Replace.
package atomicfile
