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
// A block begins with a header: a rule line, a line "AGENT CHECKPOINT: AGT-001", and a rule line, with at most eight
// blank lines between two of them. A rule is a line of three or more of one of the characters
//
//	═ = ─ ━ - _ * ~ #
//
// that contains nothing else except indentation, quote marks and emphasis. A table separator such as |---| is therefore
// never a rule.
//
// The closing rule has the same character as one of the two rules of the header. The parser ignores any other rule line
// inside of a block. If the block has a Status and has reached its last section (Request, or Notes for Parent in the
// second form), the first closing rule ends it. Before that, a rule can be a separator or a part of the next header, so
// that the text after it decides:
//
//   - a section or field that the block does not have yet: the rule was a separator, and the block continues;
//   - a new header: the block is incomplete, and so Malformed;
//   - anything else, or the end of the stream: the rule ended the block.
//
// A closing rule can also be the first rule of the next header. A new header inside of a block always ends the block.
// A header without one of its rules starts a block that is Malformed, so that the mistake of an agent is reported and
// not ignored.
//
// A block contains the fields Status, Progress and Subtask, and then sections. One grammar describes both forms: a
// block has the Report form if it has a part of that form (Subtask, Test Results, Issues Encountered, Notes for
// Parent, or the status PARTIAL) and no section that only the canonical form has (Tests Run, Blockers, Questions for
// Parent, Request). A section starts with a Markdown heading of any level, or with a line that contains only its
// name, with or without emphasis. Status is required; everything else is optional. A "##" heading that is not in the
// grammar starts a section that the parser ignores; other unknown headings are text. A field or section that occurs
// twice is a syntax error.
//
// The parser ignores terminal sequences such as colours, carriage returns, byte order marks, indentation, quote marks,
// list dashes, and emphasis around names and values. Otherwise values are strict: a word that is not one of the
// values of a field is a syntax error with its line.
//
// The parser cannot tell the text of an agent from the output of its tools. If the agent program marks the difference,
// pass only the text to the Scanner.
package checkpoint
