package conflict

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestListsAreAllThatFits holds that looking at places that can fit finds the same as looking everywhere.
func TestListsAreAllThatFits(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	texts := []string{"a = [1] = {2}", "a: T = b[c] := (", "a == {", "x =\n\n new T[] {1}", "a[n]: b c := []d.E{",
		"= {", "a =", "a:b:= [c] = {", "ab=[x]y(", "a = {b = [c = (d", "a = [", "é = {", "p: a[b] (c) = d, e = {"}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	found := 0
	for _, text := range texts {
		got, want := listsOf(text), listed.FindAllStringSubmatchIndex(text, -1)
		if found += len(want); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v, want %v, in\n%.200s", got, want, text)
		}
	}
	if found < 100 {
		t.Errorf("%d lists in all", found)
	}
}
