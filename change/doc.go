// Package change says what an agent did, as data:
// a base and a head as file trees, the list of files that differ between them,
// and the text difference of one file.
//
// It owns two decisions: which facts about a changed file the rest of the program may rely on, and
// how two versions of one file are aligned line by line. It reads no repository and runs no
// program; whoever knows git fills a Set, and tests fill one from memory.
package change
