// Package bench compares the time of a merge into the target by delegate with the time of the git commands that have
// the same effect:
//
//	go test -tags bench -bench . ./bench
package bench
