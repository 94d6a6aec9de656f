// Package soak runs sessions with many scripted agents under the real program, and kills its processes at random.
//
// It builds delegate, starts sessions in repositories of a temporary folder, and acts as their user: it answers, sends
// messages, interrupts and retries. At the same time it kills supervisors, keepers and agent programs. When nothing
// changes any more it ends the session and checks that the events of the registry are legal transitions for every
// agent, that no work and no message is lost, that no agent failed without a reason, and that no process is left.
//
//	go test -tags bench -timeout 0 -v -run TestSoak ./bench/soak \
//		-args -sessions 20 [-agents 10] [-seed 1] [-keep]
//
// The seed decides what agents do and what is done to them, but not when. The test takes minutes, prints figures, and
// fails if anything was wrong; the folder of such a session is not removed, and the output names it.
package soak
