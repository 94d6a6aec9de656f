// Package history holds the conflict analysis against pairs of commits from public repositories whose fate is known.
//
// labels.tsv beside it lists, for each pair, whether both sides compile and their merge does not
// ("conflict"), whether a pair that looks suspicious compiles all the same ("clean"), or that it
// was taken at random ("random") and does. The labels come from throw-away programs and not from the
// analysis here: of Go around go/types, in part checked a second time with what "go list" says; of
// Java by javac and of C by gcc, where no error is new in the merge; of Python by the tests, where
// none newly fails in the merge, and of urfave/cli by "go vet" and the tests. Pairs in which a side
// fails more than three tests by itself are left out. Go's own type checker is go/types as well, so after it only the
// loading of packages is independent. Nothing is fetched or built: name a folder with clones.
//
//	go test -tags bench -timeout 0 -v -run TestHistory ./bench/history \
//		-args -clones DIR [-repos OWNER/NAME,...] [-findings]
//
// DIR holds one clone, which may be bare, for each repository, by the last part of its name.
// It prints precision and recall by root cause for each repository, of the static analysis alone and
// after the compilers.
package history
