package session_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project"
)

func noticesOf(t *testing.T, p *project.Project) (all []string) {
	t.Helper()
	if err := session.TakeNotices(p, func(n string) { all = append(all, n) }); err != nil {
		t.Error(err)
	}
	return all
}

// TestNoticeOfAnEndedCommand holds that a command which is ended while it prints a notice takes none with it, and that
// each is printed once otherwise, in the order in which they came.
func TestNoticeOfAnEndedCommand(t *testing.T) {
	p := &project.Project{Private: t.TempDir(), Now: time.Now}
	want := []string{"the registry jumped back", "and was restored"}
	if err := session.KeepNotices(p, want); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = session.TakeNotices(p, func(string) { panic("ended") })
	}()
	if got := noticesOf(t, p); !slices.Equal(got, want) {
		t.Errorf("after a command that was ended: %q, want %q", got, want)
	}
	if got := noticesOf(t, p); len(got) > 0 {
		t.Errorf("printed twice: %q", got)
	}
}

// TestNoticesOfCommandsSideBySide holds that each notice is printed once, however many commands take them while the
// supervisor writes more.
func TestNoticesOfCommandsSideBySide(t *testing.T) {
	p := &project.Project{Private: t.TempDir(), Now: time.Now}
	const all = 300
	var printed sync.Map
	var takers sync.WaitGroup
	over := make(chan struct{})
	for range 4 {
		takers.Go(func() {
			for last := false; !last; {
				select {
				case <-over:
					last = true
				default:
				}
				for _, n := range noticesOf(t, p) {
					if _, twice := printed.LoadOrStore(n, true); twice {
						t.Errorf("%q is printed twice", n)
					}
				}
			}
		})
	}
	for n := range all {
		if err := session.KeepNotices(p, []string{fmt.Sprint(n)}); err != nil {
			t.Error(err)
		}
	}
	close(over)
	takers.Wait()
	for _, n := range noticesOf(t, p) {
		printed.Store(n, true)
	}
	for n := range all {
		if _, is := printed.Load(fmt.Sprint(n)); !is {
			t.Errorf("notice %d is lost", n)
		}
	}
}
