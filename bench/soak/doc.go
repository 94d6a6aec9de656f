// Package soak has many scripted agents work under the real program while it takes their processes away.
//
// It builds delegate, starts sessions in repositories of a temporary folder, and is their person:
// it answers, sends messages, interrupts and retries. Beside that it kills supervisors, keepers and
// agent programs. When nothing goes on any more it ends the session and looks at what must hold:
// the registry's rows tell a legal life of every agent, no work and no message is lost, nobody
// failed without a reason, no process is left.
//
//	go test -tags bench -timeout 0 -v -run TestSoak ./bench/soak \
//		-args -sessions 20 [-agents 10] [-seed 1] [-keep]
//
// What agents do and what is done to them comes from the seed; the moments do not. It runs for minutes, prints figures,
// and fails if anything was wrong; the folder of such a session is kept and named.
package soak
