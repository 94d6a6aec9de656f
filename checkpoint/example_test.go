package checkpoint_test

import (
	"fmt"

	"delegate/checkpoint"
)

const transcript = `I changed the bucket.

═══════════════════════════════════════
AGENT CHECKPOINT: AGT-001
═══════════════════════════════════════

Status: COMPLETE
Progress: 100%

## Changes Made
| File | Action | Description |
|------|--------|-------------|
| limit/bucket.go | Modified | Refills by time |

## Tests Run
- Executed: Y
- Result: PASS

## Request
MERGE

═══════════════════════════════════════
Good bye.
`

// A transcript comes in pieces. What an agent claims is held against what git shows of its work.
func ExampleScanner() {
	scanner := checkpoint.NewScanner("AGT-001")
	items := scanner.Feed([]byte(transcript[:200]))
	items = append(items, scanner.Feed([]byte(transcript[200:]))...)
	for _, item := range append(items, scanner.Close()...) {
		fmt.Println(item.Line, item.Block.Agent, item.Block.Status, item.Block.Progress, item.Block.Request)
		shown := checkpoint.Evidence{Files: map[string]checkpoint.Action{
			"limit/bucket.go": checkpoint.Modified, "limit/clock.go": checkpoint.Created}}
		for _, d := range checkpoint.Differing(checkpoint.Compare(item.Block.Claim(), shown)) {
			fmt.Println("-", d)
		}
	}
	// Output:
	// 4 AGT-001 COMPLETE 100 MERGE
	// - "limit/clock.go" was created and is not listed
	// - tests are claimed (PASS), and the transcript shows no test run
}

func ExampleParse() {
	_, err := checkpoint.Parse("---\nAGENT CHECKPOINT: AGT-001\n---\nStatus: DONE\n---\n")
	fmt.Println(err)
	// Output:
	// line 4: Status is "DONE", want one of COMPLETE, BLOCKED, IN_PROGRESS, PARTIAL
}

func ExampleTestDetector() {
	d := checkpoint.NewTestDetector("./run-checks")
	d.Feed([]byte("$ ls\nREADME.md\n"))
	fmt.Println(d.Seen())
	d.Feed([]byte("$ go test ./...\nok  \texample.com/x\t0.1s\n"))
	fmt.Println(d.Seen())
	// Output:
	// false
	// true
}
