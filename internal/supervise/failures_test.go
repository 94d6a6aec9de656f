//go:build linux

package supervise

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/sys/long"
	"delegate/internal/view/status"
	"delegate/registry"
)

// failures are what the supervisor says that it cannot do.
func (d *delegation) failures() []session.Failure {
	if s := session.FindSupervisor(d.Project); s != nil {
		return s.Failures
	}
	return nil
}

// TestFailureIsReported holds that what the supervisor cannot do is told to readers and ends a wait,
// and is gone when it works again.
func TestFailureIsReported(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "echo x > x.txt; while [ ! -e $ROOT/go ]; do sleep 0.05; done; block COMPLETE MERGE", "")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	d.git("branch", "-m", "main", "trunk")
	d.touch("go")
	all, err := status.Wait(context.Background(), d.Project, nil, patience)
	if err != nil {
		t.Fatal(err)
	}
	f := d.failures()
	if len(f) != 1 || f[0].Agent != "AGT-001" || !strings.Contains(f[0].Error, `"main"`) || f[0].Since.IsZero() {
		t.Fatalf("failures %+v", f)
	}
	if guidance := all[0].Guidance; !all[0].TimedOut || !strings.Contains(guidance, f[0].Error) ||
		!strings.Contains(guidance, f[0].Next) {
		t.Errorf("guidance %q", guidance)
	}
	if points := status.Unwell(d.Project, d.state()); len(points) != 1 || points[0].Kind != status.FailurePoint ||
		points[0].Agent != "AGT-001" {
		t.Errorf("points %+v", points)
	}
	d.git("branch", "-m", "trunk", "main")
	d.reaches("AGT-001", registry.Complete)
	d.until("no failure", func() bool { return len(d.failures()) == 0 })
}

// TestSilentSupervisor holds that a supervisor that lives and does nothing is noticed, whatever was
// done to the clock, and that an interruption does not wait for it.
func TestSilentSupervisor(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, "sleep 300", "")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	s := session.FindSupervisor(d.Project)
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(session.SupervisorFile(d.Project), old, old); err != nil {
		t.Fatal(err)
	}
	if err := s.Answers(d.Project); err != nil {
		t.Errorf("one that works: %v", err)
	}
	if err := syscall.Kill(s.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(s.PID, syscall.SIGCONT)
	d.until("that it is stopped", func() bool { return s.Answers(d.Project) != nil })
	if err := os.Chtimes(session.SupervisorFile(d.Project), old, old); err != nil {
		t.Fatal(err)
	}
	var silent *session.SilentError
	if started, err := Launch(context.Background(), d.Project); started || !errors.As(err, &silent) ||
		silent.PID != s.PID || silent.For < session.SilentAfter {
		t.Errorf("started %v, %v", started, err)
	}
	if points := status.Unwell(d.Project, d.state()); len(points) != 1 || points[0].Kind != status.SupervisorPoint ||
		!strings.Contains(points[0].Next, "kill -CONT") {
		t.Errorf("points %+v", points)
	}
	begun := time.Now()
	if _, done, err := d.Interrupt(context.Background(), "AGT-001"); !done || err != nil ||
		time.Since(begun) > 15*time.Second {
		t.Errorf("interrupted %v, %v, after %v", done, err, time.Since(begun))
	}
	if err := syscall.Kill(s.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	d.reaches("AGT-001", registry.Checkpoint)
	d.until("an answer", func() bool { return s.Answers(d.Project) == nil })
}

// TestPrivateFolderGone holds that an agent whose private state was deleted is judged by what it
// did, with a supervisor and without, and keeps its work.
func TestPrivateFolderGone(t *testing.T) {
	long.Only(t)
	for name, c := range map[string]struct {
		dead, over bool // the supervisor; the program when the supervisor comes
		want       registry.Status
	}{
		"nobody supervises, its program ended":    {true, true, registry.Complete},
		"nobody supervises, its program works on": {true, false, registry.Failed},
		"supervised": {false, false, registry.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDelegation(t, "echo work > work.txt; touch $ROOT/begun; while [ ! -e $ROOT/go ]; do sleep 0.05; "+
				"done; block COMPLETE MERGE; touch $ROOT/ended", withoutFence)
			d.begin(1)
			d.reaches("AGT-001", registry.Running)
			exists := func(name string) func() bool {
				return func() bool { _, err := os.Stat(filepath.Join(d.root, name)); return err == nil }
			}
			d.until("its work", exists("begun"))
			if c.dead {
				d.kill()
			}
			// who is at work there makes files meanwhile
			d.until("the end of the folder", func() bool { return os.RemoveAll(d.Private) == nil })
			if c.over {
				d.touch("go")
				d.until("its end", exists("ended"))
				d.until("the end of its processes", func() bool { return d.processes() == "" })
			}
			d.launch()
			d.until("a verdict", func() bool {
				return d.agent("AGT-001").Status.Ended() || control.GoesOn(d.agent("AGT-001").Status) != ""
			})
			a := d.agent("AGT-001")
			if a.Status != c.want || strings.Join(a.FilesModified, " ") != "work.txt" ||
				a.Status == registry.Failed && a.LastError == "" {
				t.Errorf("%s: %q, files %q", a.Status, a.LastError, a.FilesModified)
			}
			d.until("one supervisor", func() bool {
				return session.FindSupervisor(d.Project) != nil && strings.Count(d.processes(), SupervisorVerb) == 1
			})
		})
	}
}

// TestStartOnAFullDisk holds that a supervisor that cannot start agents for want of room says so,
// and starts them when there is room.
func TestStartOnAFullDisk(t *testing.T) {
	long.Only(t)
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Skip("no small disk can be made here: ", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	t.Setenv("TMPDIR", disk)
	t.Run("", func(t *testing.T) {
		d := newDelegation(t, "echo x > x.txt; block COMPLETE MERGE", withoutFence)
		d.record(1)
		filler := filepath.Join(disk, "filler")
		fill := func(leave int64) {
			var fs syscall.Statfs_t
			if err := syscall.Statfs(disk, &fs); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filler, make([]byte, int64(fs.Bavail)*fs.Bsize-leave), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		fill(0)
		if started, err := Launch(context.Background(), d.Project); started || err == nil ||
			!errors.Is(err, syscall.ENOSPC) {
			t.Errorf("without any room: started %v, %v", started, err)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		fill(24 << 10) // for what a start keeps and for who supervises, but for no turn
		d.launch()
		d.until("a failure", func() bool {
			return len(d.failures()) > 0 || d.agent("AGT-001").Status == registry.Failed
		})
		why := d.agent("AGT-001").LastError
		for _, f := range d.failures() {
			why += f.Error
		}
		if !strings.Contains(strings.ToLower(why), "no space left") {
			t.Errorf("told: %q", why)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if d.agent("AGT-001").Status == registry.Failed {
			return
		}
		d.reaches("AGT-001", registry.Complete)
		d.until("no failure", func() bool { return len(d.failures()) == 0 })
	})
}

// TestWorktreeGone holds that an agent whose worktree was taken away while it worked is not said to have changed
// nothing, and that what was seen of its work is named.
func TestWorktreeGone(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "echo w > w.txt; while [ ! -e $ROOT/go ]; do sleep 0.05; done; block COMPLETE MERGE",
		"")
	d.begin(1)
	a := d.reaches("AGT-001", registry.Running)
	d.until("its file", func() bool { _, err := os.Stat(filepath.Join(a.Worktree, "w.txt")); return err == nil })
	work, err := d.Preview(t.Context(), d.state().Session.ID, a, a.Base)
	if err == nil {
		err = os.Rename(a.Worktree, filepath.Join(d.root, "away"))
	}
	if err != nil {
		t.Fatal(err)
	}
	d.touch("go")
	if a = d.reaches("AGT-001", registry.Failed); !strings.HasPrefix(a.LastError, "its worktree is gone") ||
		!strings.Contains(a.LastError, project.LookRef(d.state().Session.ID, a.ID)+" at "+work.Head[:12]) {
		t.Errorf("error %q", a.LastError)
	}
}
