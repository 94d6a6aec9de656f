// Package checkpoint parses the checkpoint blocks that agents print about their work, and compares what they claim with
// what git and the transcript show.
//
//	scanner := checkpoint.NewScanner("AGT-001")
//	for _, item := range scanner.Feed(output) { // then scanner.Close() at the end of the output
//		if item.Kind == checkpoint.Valid {
//			rows := checkpoint.Compare(item.Block.Claim(), evidence)
//			fmt.Println(checkpoint.Differing(rows))
//		}
//	}
//
// A block is a claim and changes no state: the caller decides what follows from it. The package works in memory; it
// reads no clock and no file, and starts no process.
//
// # Grammar
//
// A block begins with a header: a rule line, a line "AGENT CHECKPOINT: AGT-001", a rule line.
// Up to eight blank lines may stand between them.
// A rule is a line of three or more of one character of
//
//	═ = ─ ━ - _ * ~ #
//
// and nothing else but indentation, quote marks and emphasis.
// A table separator such as |---| is therefore never a rule.
//
// The closing rule is made of the same character as one of the header's two rules;
// any other rule line inside a block is decoration and is dropped.
// When the block has a Status and has reached its last section
// (Request, or Notes for Parent in the second form),
// the first such rule closes it at once.
// Before that a rule may be a separator or the rule of another header, so the next words decide:
//
//   - a section or field that the block does not have yet: the rule was a separator, the block goes on;
//   - a new header: the block was cut off, and is Malformed;
//   - anything else, or the end of the stream: the rule closed the block.
//
// A closing rule may serve as the upper rule of the next header.
// A new header inside an open block always cuts that block off.
// A header that lacks one of its rules opens a block that is Malformed,
// so that an agent's slip is reported and not passed over.
//
// Inside a block come the fields Status, Progress and Subtask, then sections.
// Both forms are read by one grammar: a block is of the Report form when it has a part of that form
// (Subtask, Test Results, Issues Encountered, Notes for Parent, or the status PARTIAL)
// and none of the canonical form's own sections (Tests Run, Blockers, Questions for Parent, Request).
// A section starts with a Markdown heading of any level, or with its bare or emphasised name on a line.
// Status is required; everything else may be absent.
// A "##" heading that no form knows starts a section that is skipped; other unknown headings are text.
// A field or section given twice is a fault: which one counts is not for a parser to guess.
//
// Colour and other terminal sequences, carriage returns, byte order marks, indentation, quote
// marks, list dashes and emphasis around names and values are noise. Values are strict under that
// noise: a word that is not in the list is a fault with its line.
//
// Text and tool output look alike here:
// where an agent program tells one from the other, the caller feeds the text alone.
package checkpoint
