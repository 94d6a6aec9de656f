// Package history measures precision and recall of package conflict on labelled pairs of commits from public
// repositories.
//
// The file labels.tsv has a label for each pair: "conflict" if both sides compile and their merge does not, "clean" if
// the pair looks suspicious and its merge compiles, or "random" if it was chosen at random and its merge compiles.
// The labels do not come from package conflict but from separate programs: for Go by go/types, in part checked again
// with "go list"; for Java by javac and for C by gcc, by whether the merge has a new error; for Python by the tests, by
// whether one fails only in the merge, and for urfave/cli by "go vet" and the tests. Pairs in which a side by itself
// fails more than three tests are left out. delegate's checker for Go uses go/types too, so that its results on these
// labels are independent only in how packages are loaded.
//
//	go test -tags bench -timeout 0 -v -run TestHistory ./bench/history \
//		-args -clones DIR [-repos OWNER/NAME,...] [-findings]
//
// DIR contains one clone for each repository, bare or not, named by the last part of the repository's name. The test
// fetches and builds nothing. It prints precision and recall for each repository by root cause, for the static analysis
// alone and after the compilers.
package history
