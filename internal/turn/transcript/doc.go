// Package transcript reads what an agent's program prints in a turn: its blocks, the events of programs that print
// such, what it used up, and how long it has worked.
package transcript
