package git_test

import (
	"strings"
	"testing"
)

func TestOwnHistory(t *testing.T) {
	b := newBox(t, map[string]string{"a": "1\n"})
	b.Git("checkout", "-q", "-b", "side")
	b.Write(map[string]string{"a": "1\n+plus\n", ".gitattributes": "hidden -diff\n", "hidden": "commit me\nkey\n"})
	first := b.Commit("first")
	b.Write(map[string]string{"hidden": ""})
	b.Git("-c", "user.name=Mallory", "-c", "user.email=m@x", "commit", "-q", "-a", "--author=Mallory <m@x>", "-m",
		"second\n\nReviewed-by: Ada")
	all, more, err := b.open().OwnHistory(t.Context(), "main", "side")
	if err != nil || more || len(all) != 2 {
		t.Fatalf("%d commits, more %t, %v", len(all), more, err)
	}
	if all[0].Author != "Mallory <m@x>" || !strings.HasPrefix(all[0].Message, "second\n\nReviewed-by: Ada") ||
		len(all[0].Added) > 0 {
		t.Errorf("the newest is %+v", all[0])
	}
	for _, line := range []string{"commit me\n", "key\n", "plus\n"} {
		if all[1].ID != first || !strings.Contains(string(all[1].Added), line) {
			t.Errorf("%q is not in what %s added: %q", line, all[1].ID, all[1].Added)
		}
	}
	if all, _, err = b.open().OwnHistory(t.Context(), "side", "main"); err != nil || len(all) > 0 {
		t.Errorf("%d commits of none, %v", len(all), err)
	}
}
