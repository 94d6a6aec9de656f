// Package peers compares the time that delegate adds to a session with that of other programs in the same run. The
// agents write one file and end; the time is from the first command until all their work is on the branch.
//
//	go test -tags bench -timeout 0 -v -run TestPeers ./bench/peers -args -agents 2,8 [-runs 5] [-sig FILE]
//
// The programs take turns, each in a new repository of 20 files:
//
//   - git: for each agent, one after the other, a worktree, its file, a commit and git merge --no-ff, without an agent
//     process, a sandbox, a record or a question;
//   - sig, if -sig is given: `sig run` of https://github.com/surya-koritala/sigbound, which starts and merges its
//     agents without a sandbox and without a question;
//   - delegate: `-f`, `wait` and `sync` at a pseudo-terminal, where the test answers each question with yes at once.
//
// The output has the median of each with the smallest and the largest value, and the ratios of the medians.
package peers
