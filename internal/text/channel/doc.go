// Package channel owns the two files through which a person and the supervisor of a session speak without a terminal:
// COMMANDS.md, in which the person writes lines, and EXECUTION_STATE.md, which the supervisor writes anew.
//
// A command is a line
//
//	[TIMESTAMP] [VERB] message
//
// and every other line that is no comment of Markdown is answered with how to write one.
// A line is acted on once. What identifies it is its text, so the same command again takes another timestamp,
// and the lines of the file may be moved, deleted and formatted without being acted on again.
// Which lines were handled stands in the table of the state file (State.Answers), from where ReadAnswers takes it back.
package channel
