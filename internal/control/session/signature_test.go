//go:build unix

package session_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/sys/atomicfile"
)

// A file that is replaced by another of its size, while the clock for files stands still, is another one.
func TestSignatureOfAReplacedFile(t *testing.T) {
	file, at := filepath.Join(t.TempDir(), "registry.md"), time.Now().Add(-time.Hour)
	write := func(text string) session.Signature {
		t.Helper()
		old, _ := os.ReadFile(file)
		if err := (atomicfile.Replacer{}).Replace(file, old, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
		return session.SignatureOf(file)
	}
	if first, second := write("FAILED"), write("READY!"); first == second {
		t.Errorf("both are %+v", first)
	}
}
