package sandbox

import (
	"context"
	"path/filepath"
	"testing"

	"delegate/internal/run"
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
		for _, around := range []string{"bare", "fenced"} {
			b.Run(work.name+"/"+around, func(b *testing.B) {
				dir := b.TempDir()
				c := run.Command{Path: "/bin/sh", Args: []string{"-c", work.script}, Dir: dir}
				if _, err := run.Output(context.Background(),
					run.Command{Path: "/bin/mkdir", Args: []string{"src"}, Dir: dir}); err != nil {
					b.Fatal(err)
				}
				if around == "fenced" {
					limits, err := scope.New(scope.Config{Allowed: []string{"src/**"}})
					if err != nil {
						b.Fatal(err)
					}
					p, err := Compile(limits, dir, nil)
					if err != nil {
						b.Fatal(err)
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
