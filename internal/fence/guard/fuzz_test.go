package guard

import (
	"path/filepath"
	"strings"
	"testing"

	"delegate/scope"
)

// FuzzDecide asks about any payload. Without links, "..", and blanks at an end of it, where a path
// leads can be told in another way.
func FuzzDecide(f *testing.F) {
	g := newGround(f)
	dialects := []string{"claude", "codex", "gemini", "qwen"}
	for _, d := range dialects {
		for _, line := range recorded(f, d) {
			f.Add(d, strings.ReplaceAll(line, "/root-folder", g.root))
		}
	}
	for _, path := range []string{"src/a.go", "../x", g.policy.AgentDir + "/x", "/etc/passwd", "src/../../x", "//etc"} {
		f.Add("claude", strings.ReplaceAll(payload("Write", `{"file_path":"`+path+`"}`), "/w", g.policy.Worktree))
	}
	s, err := scope.New(scope.Config{Allowed: g.policy.Allowed, Forbidden: g.policy.Forbidden})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, dialect, text string) {
		c, err := Parse(dialect, []byte(text))
		if err != nil {
			return
		}
		v, err := Decide(g.policy, c)
		if err != nil && v != (Verdict{}) {
			t.Errorf("a verdict in doubt: %+v, %v", v, err)
		}
		if does := kindOf(c.Tool); !v.Allowed || does != writesFile && does != patchesFiles {
			return
		}
		for _, path := range c.Paths {
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.Dir, path)
			}
			path = filepath.Clean(path)
			inside, found := strings.CutPrefix(path, g.policy.Worktree+"/")
			if found && s.Check(inside).Allowed {
				continue
			}
			if free := strings.HasPrefix(path+"/", g.policy.AgentDir+"/") ||
				strings.HasPrefix(path+"/", g.policy.Home+"/") || strings.HasPrefix(path+"/", g.policy.Tmp+"/"); !free {
				t.Errorf("%q may be written", path)
			}
		}
	})
}

func FuzzShell(f *testing.F) {
	for _, text := range []string{"git push", "a 'b' \"c $(d `e`)\" ${f:-\"g\"} $((1+2))",
		"cat <<-X | sh -c 'y'\n\tz\n\tX\n", "case x in (a|b) c;; esac", "x=(a b); [[ c ]]; ((d))",
		"sudo -u a env -S 'b c' timeout 5 d"} {
		f.Add(text)
	}
	f.Add("git\vpush") // one word
	f.Fuzz(func(t *testing.T, text string) {
		v, err := decideShell(text)
		if v.Allowed && err != nil || v.Allowed == (v.Pattern != "") && err == nil {
			t.Errorf("%q is %+v, %v", text, v, err)
		}
		if err != nil || strings.ContainsAny(text, "'\"`\\$(){}<>#&|;\n=[") {
			return
		}
		blank := func(r rune) bool { return r == ' ' || r == '\t' } // a shell separates words by nothing else
		words := strings.FieldsFunc(text, blank)
		if len(words) == 2 && words[0] == "git" && v.Allowed == (words[1] == "push") {
			t.Errorf("%q is %+v", text, v)
		}
	})
}

func BenchmarkLongText(b *testing.B) {
	for part := range hardTexts() {
		text := longText(part)
		b.Run(part, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = decideShell(text)
			}
		})
	}
}

func BenchmarkDecide(b *testing.B) {
	g := newGround(b)
	g.policy.Forbidden = []string{"secret/**"}
	lines := recorded(b, "claude")
	for name, line := range map[string]string{"write": lines[0], "refused": lines[1], "shell": lines[4],
		"spawn": lines[6]} {
		data := []byte(strings.ReplaceAll(line, "/root-folder", g.root))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c, err := Parse("claude", data)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := Decide(g.policy, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
