package change_test

import (
	"fmt"
	"log"
	"os"

	"delegate/change"
)

const (
	before = "package limit\n// Rate is per second.\nconst Rate = 10\n"
	after  = "package limit\n// Rate is per minute.\nconst Rate = 600\nconst Burst = 5\n"
)

func ExampleDiff() {
	file := change.File{Path: "limit/rate.go", Kind: change.Modified,
		OldMode: change.ModeFile, NewMode: change.ModeFile}
	err := change.Diff(os.Stdout, file, []byte(before), []byte(after), change.DiffOptions{Context: 1})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// diff --git a/limit/rate.go b/limit/rate.go
	// --- a/limit/rate.go
	// +++ b/limit/rate.go
	// @@ -1,3 +1,4 @@
	//  package limit
	// -// Rate is per second.
	// -const Rate = 10
	// +// Rate is per minute.
	// +const Rate = 600
	// +const Burst = 5
}

func ExampleHunks() {
	for _, h := range change.Hunks([]byte(before), []byte(after)) {
		fmt.Printf("lines %d+%d became %d+%d\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
	}
	fmt.Println(change.Count([]byte(before), []byte(after)))
	// Output:
	// lines 2+2 became 2+3
	// 3 2
}

func ExampleWords() {
	old, new := "const Rate = 10", "const Rate = 600"
	inOld, inNew := change.Words(old, new)
	for i := range inOld {
		fmt.Println(old[inOld[i].Start:inOld[i].End], "→", new[inNew[i].Start:inNew[i].End])
	}
	// Output:
	// 10 → 600
}
