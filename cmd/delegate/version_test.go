package main

import (
	"runtime/debug"
	"slices"
	"testing"
)

func TestBuildIsThatOfItsCommit(t *testing.T) {
	b := buildOf(&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0323008b"},
		{Key: "vcs.time", Value: "2026-11-25T09:10:50Z"}, {Key: "vcs.modified", Value: "true"}}})
	if b.Commit != "0323008b" || b.Date != "2026-11-25T09:10:50Z" || !b.Changed || b.Version != version {
		t.Errorf("the build is %+v", b)
	}
	if !slices.Contains(b.Languages, "Go") {
		t.Errorf("it reads %q", b.Languages)
	}
	if none := buildOf(nil); none.Commit != "" || none.Version != version {
		t.Errorf("without what the compiler wrote down it is %+v", none)
	}
}
