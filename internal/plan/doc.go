// Package plan owns the decision of what a delegation plan is:
// the grammar of the plan file, the checks that make it fit to run,
// and what follows from it (which subtasks can run together, where they can meet).
//
// # The file
//
// A plan is Markdown: one heading "# Delegation Plan: TITLE", free text, the reasoning,
// and one section "## Subtask N: NAME" a subtask, which consists of fields:
//
//   - **Description**: what to do
//   - **Context**: what the agent must know
//   - **Allowed**: src/limit/**, tests/limit/**
//   - **Forbidden**: None
//   - **Type**: QUICK, STANDARD, RESEARCH or ORCHESTRATION
//   - **Complexity**: Low, Medium or High
//   - **Dependencies**: 1, 2
//   - **Expected Outputs**: src/limit/bucket.go
//   - **Agent**: claude
//   - **Task**: name of an objective
//
// The colon may stand inside the bold markers, the markers may be missing, and the bullet may be a
// star. The text of a field goes on in indented lines below it, also across blank lines; their
// common indentation is no part of the text. A code fence in a Description or Context goes on to
// its end, whatever stands in it, except for the headings of the plan itself at the start of a
// line. Those never hide: a fence left open would otherwise swallow the next subtask.
//
// Lists are separated by commas or lines;
// a comma in braces, in a class, or behind a backslash does not separate.
// "None", "-" and nothing mean an empty value.
//
// Any other heading of the second level ends a subtask.
// Its text, like text before the title, belongs to the reasoning;
// [Plan.Format] writes all reasoning in front of the first subtask.
// Text in a subtask that belongs to no field is a fault, since an agent would never see it.
// Line ends are LF or CRLF, a byte order mark is skipped, control characters are refused.
package plan
