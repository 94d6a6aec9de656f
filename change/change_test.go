package change_test

import (
	"bytes"
	"slices"
	"testing"

	"delegate/change"
)

func TestPaths(t *testing.T) {
	set := change.Set{Files: []change.File{
		{Path: "b", Kind: change.Modified},
		{Path: "c", OldPath: "a", Kind: change.Renamed},
		{Path: "d", OldPath: "b", Kind: change.Renamed},
	}}
	if got, want := set.Paths(), []string{"a", "b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("Paths() = %q, want %q", got, want)
	}
	if got := (change.Set{}).Paths(); len(got) != 0 {
		t.Errorf("Paths() of an empty set = %q", got)
	}
}

func TestIsBinary(t *testing.T) {
	late := append(bytes.Repeat([]byte("a"), 8000), 0)
	for name, c := range map[string]struct {
		data []byte
		want bool
	}{
		"empty":                  {nil, false},
		"text":                   {[]byte("päckchen\n"), false},
		"NUL at once":            {[]byte{0}, true},
		"NUL as the 8000th byte": {late[1:], true},
		"NUL just after":         {late, false},
	} {
		if got := change.IsBinary(c.data); got != c.want {
			t.Errorf("%s: IsBinary = %v, want %v", name, got, c.want)
		}
	}
}
