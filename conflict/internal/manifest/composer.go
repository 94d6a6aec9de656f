package manifest

import (
	"strings"

	"delegate/conflict/code"
)

func readComposer(data []byte) (code.Manifest, error) {
	m := jsonManifest{ecosystem: PHP, fold: strings.ToLower,
		groups: map[string]string{"require": "", "require-dev": "dev"}}
	return m.read(data)
}

func readComposerLock(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: PHP, Lock: true}
	r, err := newJSONReader(data)
	if err != nil {
		return f, err
	}
	locked := func(group string) error {
		return r.list(func(line int) error {
			var p struct{ Name, Version string }
			err := r.take(&p)
			f.Add(group, code.Dependency{Name: strings.ToLower(p.Name), Version: p.Version, Line: line})
			return err
		})
	}
	platform := func(group string) error {
		return r.object(func(name string, line int) error {
			d := code.Dependency{Name: strings.ToLower(name), Line: line}
			err := r.take(&d.Version)
			f.Add(group, d)
			return err
		})
	}
	err = r.object(func(key string, _ int) error {
		switch key {
		case "packages":
			return locked("")
		case "packages-dev":
			return locked("dev")
		case "platform":
			return platform("")
		case "platform-dev":
			return platform("dev")
		}
		return r.skip()
	})
	return f, err
}
