// Package agents runs the real agent programs against a scripted model on the loopback device:
// through delegate, as its agents and as the parent of one,
// to hold what comes of it against what must come of it, or by themselves, to record what they print.
//
//	go test -tags bench -timeout 0 -v -run TestPrograms ./bench/agents \
//		-args -run [-only claude,codex] [-scenario basic,denied] [-keep]
//	go test -tags bench -timeout 0 -v -run TestPrograms ./bench/agents \
//		-args -record DIR [-only claude,codex] [-scenario basic,denied]
//
// They are looked for in $AGENTS_BIN, else where "make agents" puts them. Each runs headless,
// without a key, in a fresh git worktree and with a home folder of its own; the model's scripts are
// in scenarios. Machine paths, ports and ids are replaced in the recordings, so that two of one
// program can be compared.
//
// A run has several cases at a time, each with a model of its own, prints a line for each and a table
// in the end, and fails if a case is wrong that is not known to be; the folder of such a case is kept
// and named.
package agents
