package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRecall holds that what was tried counts for a process like the one that tried it, for a while, and that what
// could not be done is never remembered.
func TestRecall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "support.json")
	if _, known := Recall(file); known {
		t.Error("it is known before it was tried")
	}
	able := Support{Namespaces: true, Landlock: 3, Overlay: true}
	if err := Remember(file, able); err != nil {
		t.Fatal(err)
	}
	if got, known := Recall(file); !known || got != able {
		t.Fatalf("recalled %+v, %v, want %+v", got, known, able)
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(string) string{
		"another boot": func(s string) string {
			boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
			if err != nil {
				t.Fatal(err)
			}
			return strings.Replace(s, strings.TrimSpace(string(boot)), "0", 1)
		},
		"other namespaces": func(s string) string { return strings.Replace(s, "mnt:[", "mnt:[1", 1) },
		"fewer rights":     func(s string) string { return strings.Replace(s, "CapBnd:", "CapBnd: 1", 1) },
		"long ago": func(s string) string {
			_, rest, _ := strings.Cut(s, `"at":"`)
			at, _, _ := strings.Cut(rest, `"`)
			return strings.Replace(s, at, time.Now().Add(-2*recallFor).Format(time.RFC3339), 1)
		},
		"no namespaces": func(s string) string {
			return strings.Replace(s, `"namespaces":true`, `"namespaces":false`, 1)
		},
	} {
		changed := change(string(kept))
		if changed == string(kept) {
			t.Errorf("%s: nothing was changed in %s", name, kept)
		}
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, known := Recall(file); known {
			t.Errorf("%s: recalled %+v", name, got)
		}
	}
	if err := Remember(file, Support{Landlock: 3, Fault: "no"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("what could not be done is remembered: %v", err)
	}
}
