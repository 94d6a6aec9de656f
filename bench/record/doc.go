// Package record records a terminal in which a person uses delegate, as one animated SVG.
//
// A script plays the person (see parseScript); the shell, delegate, its agents and git are real. They run in a
// temporary folder. The script waits for texts on the screen, so that a recording does not depend on the speed of the
// machine, and time in which nothing changes is shortened in the picture.
//
//	go test -tags bench -timeout 0 -v -run TestRecord ./bench/record \
//		-args -o FILE.svg [-script FILE] [-program FILE] [-still LINE|last]
//
// With -still the picture is not animated: it shows the screen after the step on that line of the script. Without
// -program, delegate is built from this module. Paths are relative to the root of the module.
package record
