// Package history holds the conflict analysis against pairs of commits from public repositories whose fate is known.
//
// labels.tsv beside it lists, for each pair, whether both sides compile and their merge does not
// ("conflict"), whether a pair that looks suspicious compiles all the same ("clean"), or that it
// was taken at random ("random"). The labels come from throw-away programs around go/types, in part
// checked a second time with what "go list" says, and not from the analysis here. Its own type
// checker is go/types as well, so after it only the loading of packages is independent. Nothing is
// fetched or built: name a folder with clones.
//
//	go test -tags bench -timeout 0 -v -run TestHistory ./bench/history \
//		-args -clones DIR [-findings]
//
// DIR holds one clone with a checkout for each repository, by the last part of its name.
// It prints precision and recall by root cause, of the static analysis alone and after the type checker.
package history
