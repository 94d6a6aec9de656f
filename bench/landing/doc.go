// Package landing compares the time that delegate needs to merge the work of many agents into one candidate, and the
// candidate into the target, with the time of one git merge for each agent.
//
// The work is the difference between two releases of a public Go module, divided among branches that start at the older
// release, so that branches share files and git has something to merge. All branches together give the newer release,
// which the test verifies for both after each round.
//
//	go test -tags bench -timeout 0 -v -run TestLanding ./bench/landing \
//		-args -branches 64 [-rounds 3] [-module PATH -from VERSION -to VERSION] [-keep]
//
// In each round, git merge --no-ff merges each branch in a clone; and in another clone, a session whose agents have
// completed these branches builds a candidate of all of them and merges it into the target. In between, a second
// builder builds the candidate again, as the next command would do, and must get the same digest. The two take turns
// in who begins. No verify commands are configured. The modules come from the module cache or a proxy, by "go mod
// download".
//
// The output has medians with the smallest and the largest value, and the time of each phase.
package landing
