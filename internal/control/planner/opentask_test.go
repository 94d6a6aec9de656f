package planner

import (
	"errors"
	"reflect"
	"testing"

	"delegate/internal/plan"
)

func TestOpenTask(t *testing.T) {
	cases := map[string]struct {
		text string
		want plan.Task
		none bool
	}{
		"the named one of several": {
			text: "**Active Task**: limits\n**Progress**: 10%\n\n## I. Active Task\n\n### Cache\n- [ ] Not this\n### " +
				"Limits\nWhy.\n- [x] Old\n- [ ] Count\n  in src\n- [ ] Refuse\n\n## II. Recent Updates\n- [ ] No\n",
			want: plan.Task{Title: "limits", Text: "Why.",
				Objectives: []plan.Objective{{Name: "Count", Text: "in src"}, {Name: "Refuse"}}},
		},
		"a name of its own for all of the section": {
			text: "**Active Task**: Both\n## I. Active Task\n### Cache\n- [ ] One\n### Limits\n- [ ] Two\n",
			want: plan.Task{Title: "Both", Text: "Both", Objectives: []plan.Objective{{Name: "One"}, {Name: "Two"}}},
		},
		"the first name that is open": {
			text: "## I. Active Task\r\n### Cache\r\n- [X] One\r\n### Limits\r\n- [ ] Two\r\n",
			want: plan.Task{Title: "Limits", Text: "Limits", Objectives: []plan.Objective{{Name: "Two"}}},
		},
		"boxes in code are none": {
			text: "## I. Active Task\n### Limits\n```\n- [ ] Example\n## II. Not a heading\n```\n- [ ] Two\n",
			want: plan.Task{Title: "Limits", Text: "```\n- [ ] Example\n## II. Not a heading\n```",
				Objectives: []plan.Objective{{Name: "Two"}}},
		},
		"no section": {
			text: "# Progress\n\nAbout this file.\n\n### Goal\n- [ ] One\n\n### Done\nLong ago.\n- [x] Two\n",
			want: plan.Task{Title: "Goal", Text: "Goal", Objectives: []plan.Objective{{Name: "One"}}},
		},
		"boxes alone": {
			text: "- [ ] One\n",
			want: plan.Task{Title: "Open objectives of docs/01_progress.md",
				Text: "Open objectives of docs/01_progress.md", Objectives: []plan.Objective{{Name: "One"}}},
		},
		"a task without objectives": {text: "**Active Task**: Limits\n",
			want: plan.Task{Title: "Limits", Text: "Limits"}},
		"a word for none": {text: "**Active Task**: _None_\n", none: true},
		"all ticked":      {text: "**Active Task**: Limits\n## I. Active Task\n### Limits\n- [x] One\n", none: true},
		"empty":           {text: "", none: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := openTask(c.text)
			var none *NoTaskError
			if errors.As(err, &none) != c.none || err != nil && !c.none {
				t.Fatalf("the error is %v, want one: %v", err, c.none)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %#v\nwant %#v", got, c.want)
			}
		})
	}
}
