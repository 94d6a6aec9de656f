// Package record films a terminal in which a person uses delegate, as one SVG that moves by itself.
//
// The person is a script (see parseScript); the shell, delegate, its agents and git are real.
// A folder of its own is made for the recording and removed afterwards.
// The script waits for what appears on the screen, so a recording does not depend on how fast the machine is,
// and time in which nothing happens is cut short on the picture.
//
//	go test -tags bench -timeout 0 -v -run TestRecord ./bench/record \
//		-args -o FILE.svg [-script FILE] [-program FILE] [-still LINE|last]
//
// With -still the picture does not move: it is the screen as it was when the step on that line of the script was done.
// Without -program delegate is built from this module. Paths are those from its root.
package record
