// Package agents tests real agent programs, such as claude and codex, against a scripted model that a local server
// plays. With -run, delegate starts them as its agents, or they start delegate as a parent, and the test compares the
// results with the expected ones. With -record they run without delegate, and the test records what they print.
//
//	go test -tags bench -timeout 0 -v -run TestPrograms ./bench/agents \
//		-args -run [-only claude,codex] [-scenario basic,denied] [-keep]
//	go test -tags bench -timeout 0 -v -run TestPrograms ./bench/agents \
//		-args -record DIR [-only claude,codex] [-scenario basic,denied]
//
// The programs are expected in $AGENTS_BIN, or else where "make agents" installs them. Each runs without a terminal and
// without an API key, in a new git worktree and with a home folder of its own; the scripts of the model are in the
// folder scenarios. Recordings have placeholders for paths, ports and ids, so that two recordings of one program can be
// compared.
//
// Several cases run at the same time, each with a model of its own. The output has a line for each case and a table at
// the end. The test fails if a case fails that is not listed as known to fail; the folder of such a case is not
// removed, and the output names it.
package agents
