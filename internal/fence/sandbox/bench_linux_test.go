package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"delegate/internal/sys/run"
	"delegate/scope"
)

// BenchmarkCost compares a process in the fence with the same one outside, side by side: its start,
// and steady work with files.
func BenchmarkCost(b *testing.B) {
	s := Detect(context.Background())
	if !s.Namespaces {
		b.Skip("no namespaces here: ", s.Fault)
	}
	const files = `i=0; while [ $i -lt 500 ]; do echo x > src/f$i.tmp; mv src/f$i.tmp src/f$i; i=$((i+1)); done; rm -r src/f*`
	for _, work := range []struct{ name, script string }{{"start", "true"}, {"files", files}} {
		for _, around := range []string{"bare", "fenced", "covering"} {
			b.Run(work.name+"/"+around, func(b *testing.B) {
				dir := b.TempDir()
				c := run.Command{Path: "/bin/sh", Args: []string{"-c", work.script}, Dir: dir}
				if _, err := run.Output(context.Background(),
					run.Command{Path: "/bin/mkdir", Args: []string{"src"}, Dir: dir}); err != nil {
					b.Fatal(err)
				}
				if around != "bare" {
					limits, err := scope.New(scope.Config{Allowed: []string{"src/**"}})
					if err != nil {
						b.Fatal(err)
					}
					p, err := Compile(limits, dir, nil)
					if err != nil {
						b.Fatal(err)
					}
					if around == "covering" {
						p.Programs, p.Stub = programs(b)
					}
					file := filepath.Join(b.TempDir(), "policy.json")
					if err := p.Write(file); err != nil {
						b.Fatal(err)
					}
					c = Wrap(c, file, Open, s)
				}
				for b.Loop() {
					if err := run.Do(context.Background(), c); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// programs are as many files as seven agent programs have that are covered, and what is laid over them.
func programs(b *testing.B) (all []string, stub string) {
	b.Helper()
	dir := b.TempDir()
	for i := range 300 {
		all = append(all, filepath.Join(dir, strconv.Itoa(i)))
		if err := os.WriteFile(all[i], nil, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	return all, all[0]
}

// timesWord has this test program make one kind of call so many times in a folder.
const timesWord = "__times"

// callsTimed are the kinds, with one call of each.
func callsTimed() map[string]func(folder string) error {
	open := func(flags int) func(string) error {
		return func(folder string) error {
			f, err := os.OpenFile(filepath.Join(folder, "f"), flags, 0o644)
			if err != nil {
				return err
			}
			return f.Close()
		}
	}
	return map[string]func(string) error{
		"read": open(os.O_RDONLY), "write": open(os.O_RDWR | os.O_CREATE),
		"mkdir": func(folder string) error {
			at := filepath.Join(folder, "d")
			if err := os.Mkdir(at, 0o755); err != nil {
				return err
			}
			return os.Remove(at)
		},
		"start": func(folder string) error {
			p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Dir: folder})
			if err != nil {
				return err
			}
			_, err = p.Wait()
			return err
		},
	}
}

func makeCalls() error {
	kind, folder := os.Args[2], os.Args[3]
	times, err := strconv.Atoi(os.Args[4])
	for i := 0; err == nil && i < times; i++ {
		err = callsTimed()[kind](folder)
	}
	return err
}

// BenchmarkCalls compares calls without a fence, behind one with the filter alone, and with one that tells.
// The start of the process is part of each; the calls are many.
func BenchmarkCalls(b *testing.B) {
	s := Detect(context.Background())
	if !s.Namespaces || !s.Seccomp {
		b.Skip("no namespaces or no filter here: ", s.Fault)
	}
	dir := b.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
		b.Fatal(err)
	}
	stub := filepath.Join(dir, "covered") // so that starts are asked about
	for _, file := range []string{filepath.Join(dir, "src/f"), stub} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	p := Policy{Worktree: dir, Openings: []Opening{{Path: "src", Kind: Whole}}, Programs: []string{stub}, Stub: stub}
	file := filepath.Join(b.TempDir(), "policy.json")
	if err := p.Write(file); err != nil {
		b.Fatal(err)
	}
	for _, kind := range []string{"read", "write", "mkdir", "start"} {
		many := 20000
		if kind == "start" {
			many /= 20
		}
		for _, around := range []string{"bare", "filter", "told"} {
			b.Run(kind+"/"+around, func(b *testing.B) {
				for b.Loop() {
					c := run.Command{Path: run.Program(), Dir: dir,
						Args: []string{timesWord, kind, filepath.Join(dir, "src"), strconv.Itoa(many)}}
					if err := runAround(b, c, around, file, p, s); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(many), "ns/call")
			})
		}
	}
}

// runAround runs the command to its end in one of the three ways.
func runAround(b *testing.B, c run.Command, around, file string, p Policy, s Support) error {
	b.Helper()
	switch around {
	case "filter":
		c = Wrap(c, file, Open, s)
	case "told":
		from, end, err := OpenChannel()
		if err != nil {
			return err
		}
		defer from.Close()
		c.Extra = []*os.File{end}
		child, err := run.Keep(Wrap(c, file, Open, s))
		_ = end.Close()
		if err != nil {
			return err
		}
		err = ReadReports(from, func(r Report) {
			l, err := from.Listener(p, *r.Built)
			if err != nil || l == nil {
				b.Error("nobody asks: ", err)
				return
			}
			go l.Serve(func(t Tried) { b.Error(t) }, func(f func()) { go f() }) // both end with the child
		})
		exit, waitErr := child.Wait()
		if exit.Code != 0 {
			return fmt.Errorf("%s: %w", strings.Join(c.Args, " "), os.ErrInvalid)
		}
		if err != nil {
			return err
		}
		return waitErr
	}
	return run.Do(context.Background(), c)
}
