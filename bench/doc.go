// Package bench measures what a landing costs beside the bare git commands that move a branch the same way:
//
//	go test -tags bench -bench . ./bench
package bench
