package scope

import (
	"slices"
	"testing"
)

func TestAllowedAreas(t *testing.T) {
	tests := []struct {
		allowed, roots []string
		want           []Area
	}{
		{[]string{"src/**"}, nil, []Area{{"src", Below}}},
		{[]string{"src/"}, nil, []Area{{"src", Entry}, {"src", Below}}},
		{[]string{"README.md"}, nil, []Area{{"README.md", Entry}}},
		{[]string{"src/*.go"}, nil, []Area{{"src", Names}}},
		{[]string{"*.md"}, nil, []Area{{"", Names}}},
		{[]string{"**/*.md"}, nil, []Area{{"", Deep}}},
		{[]string{"src/*/x.go"}, nil, []Area{{"src", Deep}}},
		{[]string{"src/**", "src/a/**", "src/b.go"}, nil, []Area{{"src", Below}}},
		{[]string{"{src,test}/a/**"}, nil, []Area{{"src/a", Below}, {"test/a", Below}}},
		{[]string{"src/[a]b/**"}, nil, []Area{{"src/ab", Below}}},
		{[]string{"src/**"}, []string{"src/lib"}, []Area{{"src/lib", Entry}, {"src/lib", Below}}},
		{[]string{"src/lib/**"}, []string{"src"}, []Area{{"src/lib", Below}}},
		{[]string{"src/lib/**"}, []string{"docs"}, nil},
		{[]string{"src/**"}, []string{"src/*/gen"}, []Area{{"src", Deep}}},
	}
	for _, test := range tests {
		s, err := New(Config{Allowed: test.allowed, Roots: test.roots})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.AllowedAreas(); !slices.Equal(got, test.want) {
			t.Errorf("allowed %q, roots %q: areas %v, want %v", test.allowed, test.roots, got, test.want)
		}
	}
}

// TestAreasHoldWhatMatches holds areas to the verdicts: a path that is allowed lies in an allowed area.
func TestAreasHoldWhatMatches(t *testing.T) {
	s, err := New(Config{Allowed: []string{"a/**", "b/*.go", "c/*/d", "e.txt", "**/f"},
		Forbidden: []string{"a/x/**", "a/y"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a/1", "a/b/c", "b/x.go", "c/q/d", "e.txt", "f", "q/r/f", "a/x/1", "a/y", "b/c/x.go",
		"z"} {
		inside := slices.ContainsFunc(s.AllowedAreas(), func(a Area) bool { return holds(a, path) })
		if s.Check(path).Allowed && !inside {
			t.Errorf("%q is allowed and in no area", path)
		}
		if s.Check(path).Reason == Forbidden && !slices.ContainsFunc(s.ForbiddenAreas(), func(a Area) bool {
			return holds(a, path)
		}) {
			t.Errorf("%q is forbidden and in no area", path)
		}
	}
	if !slices.Contains(s.ForbiddenAreas(), Area{".claude", Below}) {
		t.Errorf("what is always forbidden is missing: %v", s.ForbiddenAreas())
	}
}

func TestForbidsBelow(t *testing.T) {
	s, err := New(Config{Allowed: []string{"a/**"}, Forbidden: []string{"a/one/", "a/*", "a/x/*/**", "**/gen/**",
		"a/b/*/c"}})
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]bool{
		"a": false, "a/one": true, "a/one/deep": true, "a/two": false, "a/x": false, "a/x/y": true, "a/x/y/z": true,
		"gen": true, "a/q/gen": true, "a/q/gen/r": true, "a/b/q": false, "": false, ".git": true, "a/.GIT": true,
	} {
		if got := s.ForbidsBelow(folder); got != want {
			t.Errorf("below %q: %v", folder, got)
		}
	}
	if s, err = New(Config{Allowed: []string{"a/**"}, Forbidden: []string{"**"}}); err != nil || !s.ForbidsBelow("") {
		t.Error("everything is forbidden, and that below the root is not: ", err)
	}
}

func holds(a Area, path string) bool {
	switch a.Reach {
	case Entry:
		return path == a.Path
	case Names:
		return Within(path, a.Path)
	}
	return Within(path, a.Path) && path != a.Path
}
