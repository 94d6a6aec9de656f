package project_test

import (
	"testing"

	"delegate/internal/project"
)

// What a landing's trailers say is read from commits of today and from those of before, and nothing that stands above.
func TestReadTrailers(t *testing.T) {
	t.Parallel()
	const who = "Pat <pat@example.org>"
	const today = "Part 1\n\ndo it\n\nDelegate-Agent: part-1 (DEL-1/AGT-001, digest 1a2b3c4"
	for message, want := range map[string]project.Said{
		today + ")\nApproved-by: " + who + "\n": {
			Digest: "1a2b3c4", Approved: who},
		today + ", failing tests accepted)\nApproved-by: " + who: {
			Digest: "1a2b3c4", Approved: who, Override: "failing tests accepted"},
		"Merge AGT-001: Part 1\n\nDelegate-Session: DEL-1\nDelegate-Agent: AGT-001\nDelegate-Subtask: Part 1\n" +
			"Delegate-Digest: 1a2b3c4d\nApproved-by: " + who + "\nDelegate-Override: failing tests\n": {
			Digest: "1a2b3c4d", Approved: who, Override: "failing tests"},
		"Part 1\n\nApproved-by: Eve <eve@example.org>\nDelegate-Digest: 666\n\n" +
			"Delegate-Agent: part-1 (DEL-1/AGT-001)": {},
		"Part 1": {},
	} {
		if got := project.ReadTrailers(message); got != want {
			t.Errorf("%q says %+v, want %+v", message, got, want)
		}
	}
}
