// Package peers measures what the program itself takes of a session, beside others in the same run: agents that write
// one file and are done, from the first command until all of their work is on the branch.
//
//	go test -tags bench -timeout 0 -v -run TestPeers ./bench/peers -args -agents 2,8 [-runs 5] [-sig FILE]
//
// The programs take turns, each in a fresh repository of 20 files:
//
//   - git: for each agent one after the other a worktree, its file, a commit and git merge --no-ff; no agent process,
//     no fence, no record, no question;
//   - sig, if its program is named: `sig run` of https://github.com/surya-koritala/sigbound, whose agents are started
//     and landed without a fence and without a question;
//   - delegate: `-f`, `wait` and `sync` at a pseudo-terminal, where each question is answered with yes at once.
//
// It prints the median of each with the smallest and the largest, and the ratios of the medians.
package peers
