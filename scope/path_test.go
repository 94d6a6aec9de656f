package scope

import (
	"errors"
	"path"
	"strings"
	"testing"
)

func TestCleanPath(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a", "a"},
		{"a/b.go", "a/b.go"},
		{"./a", "a"},
		{"a//b", "a/b"},
		{"a/./b/", "a/b"},
		{".git", ".git"},
		{"...", "..."},
		{"a/..b", "a/..b"},
		{"a\nb", "a\nb"},
		{"a\xff", "a\xff"},
		{`a\b`, `a\b`},
		{" a ", " a "},
	} {
		if got, err := CleanPath(c.in); err != nil || got != c.want {
			t.Errorf("CleanPath(%q) = %q, %v, want %q", c.in, got, err, c.want)
		}
	}
}

func TestCleanPathRefuses(t *testing.T) {
	for _, in := range []string{"", "/", "/a", "//a", ".", "./", "./.", "..", "../a", "a/..", "a/../b", "a/b/../..",
		"a\x00", "\x00"} {
		got, err := CleanPath(in)
		var bad *PathError
		if got != "" || !errors.As(err, &bad) || bad.Path != in || bad.Reason == "" {
			t.Errorf("CleanPath(%q) = %q, %v, want a *PathError", in, got, err)
		}
	}
}

func FuzzCleanPath(f *testing.F) {
	for _, s := range []string{"a/b", "./a//b/", "..", "a/./..", ".../x", "\x00", "/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := CleanPath(in)
		if err != nil {
			return
		}
		if again, err := CleanPath(got); err != nil || again != got {
			t.Errorf("CleanPath(%q) = %q, which cleans to %q, %v", in, got, again, err)
		}
		if want := path.Clean(in); got != want {
			t.Errorf("CleanPath(%q) = %q, path.Clean says %q", in, got, want)
		}
		if strings.HasPrefix(got, "/") || strings.HasPrefix(got, "../") {
			t.Errorf("CleanPath(%q) = %q", in, got)
		}
	})
}
