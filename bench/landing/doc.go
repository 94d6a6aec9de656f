// Package landing measures what it costs to merge many agents' work into one candidate and to land
// it, beside as many runs of git merge.
//
// The work is real: everything that changed between two releases of a public Go module, dealt out
// in pieces to branches from the older one, so that files are shared between branches and git has
// something to merge. All branches together make the newer release, which is checked after each
// round on both sides.
//
//	go test -tags bench -timeout 0 -v -run TestLanding ./bench/landing \
//		-args -branches 64 [-rounds 3] [-module PATH -from VERSION -to VERSION] [-keep]
//
// A round is: git merge --no-ff of each branch in a clone; then, in another, a session whose agents
// have completed these branches, from the candidate of all of them to the landed commit; in between
// the candidate is built once more by another builder, as the next command does, which has to have the same digest.
// Rounds take turns with what comes first. No verify commands are configured. The modules come from the
// module cache or a proxy, through "go mod download".
//
// It prints medians with the smallest and largest figure, and where the time of building and landing went.
package landing
