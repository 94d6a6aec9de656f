package registry_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"delegate/registry"
)

const record = `## Active Session

**Session ID**: DEL-20260102-150405
**Created**: 2026-01-02T15:04:05Z
**Parent Task**: Rate limits
**Status**: ACTIVE

### Agents

#### AGT-001
- **Subtask**: Token bucket
- **Status**: COMPLETE
- **Files Modified**: limit/bucket.go, limit/bucket_test.go
- **Flags**: response lost, exit status 2

#### AGT-002
- **Subtask**: Docs
- **Status**: RUNNING

Words of a person, which stay where they are.
`

func ExampleRead() {
	path := filepath.Join(os.TempDir(), "delegation_registry.md")
	if err := os.WriteFile(path, []byte(record), 0o644); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)

	state, err := registry.Read(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(state.Session.ID, state.Session.Status)
	for _, a := range state.Agents {
		fmt.Println(a.ID, a.Status, a.Subtask, a.FilesModified, a.Flags)
		if a.Flags.Has(registry.FlagResponseLost) {
			fmt.Println("  review it: its last words were lost")
		}
	}
	// Output:
	// DEL-20260102-150405 ACTIVE
	// AGT-001 COMPLETE Token bucket [limit/bucket.go limit/bucket_test.go] response lost; exit status 2
	//   review it: its last words were lost
	// AGT-002 RUNNING Docs []
}

func ExampleNext() {
	to, err := registry.Next(registry.Complete, registry.EventMerged, registry.Person)
	fmt.Println(to, err)
	_, err = registry.Next(registry.Pending, registry.EventMerged, registry.Person)
	var refused *registry.TransitionError
	if errors.As(err, &refused) {
		fmt.Println(refused.From, refused.Allowed)
	}
	// Output:
	// MERGED <nil>
	// PENDING [{PENDING SPAWNING SPAWNING supervisor} {PENDING ABORTED ABORTED person}]
}

func ExampleDocument_Change() {
	doc, err := registry.Parse([]byte(record))
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 16, 0, 0, 0, time.UTC)
	free := func(string) bool { return false }
	changed, _, err := doc.Change(now, free, free, func(tx *registry.Tx) error {
		done := registry.Event{Kind: registry.EventCheckpoint, Details: "half of it"}
		return tx.Transition("AGT-002", done, registry.Supervisor, nil)
	})
	if err != nil {
		log.Fatal(err)
	}
	state := changed.State()
	fmt.Println(state.Agents[1].Status)
	fmt.Println(state.Events[0].Kind, state.Events[0].Agent, state.Events[0].Details)
	// Output:
	// CHECKPOINT
	// CHECKPOINT AGT-002 half of it
}
