package project

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/atomicfile"
)

// OwnConfigs writes git's configuration of the repository and of the system to files that begin with prefix, without
// its logins, and lays each over the original for those inside of a fence.
func (p *Project) OwnConfigs(ctx context.Context, prefix string) ([]sandbox.Bind, error) {
	text, err := p.Repo.ConfigWithoutLogins(ctx)
	if err != nil {
		return nil, err
	}
	own, err := overlay(prefix, text, filepath.Join(p.Repo.CommonDir, "config"))
	if err != nil {
		return nil, err
	}
	system, err := p.systemConfigs(ctx, prefix+"-system")
	return append(system, own), err
}

// systemConfigs does so with the configuration of the system.
func (p *Project) systemConfigs(ctx context.Context, prefix string) (binds []sandbox.Bind, err error) {
	texts, err := p.Repo.SystemWithoutLogins(ctx)
	if err != nil {
		return nil, err
	}
	for i, file := range slices.Sorted(maps.Keys(texts)) {
		bind, err := overlay(fmt.Sprintf("%s-%d", prefix, i+1), texts[file], file)
		if err != nil {
			return nil, err
		}
		binds = append(binds, bind)
	}
	return binds, nil
}

// overlay writes a text to a file and lays it over another one.
func overlay(file, text, original string) (sandbox.Bind, error) {
	if real, err := filepath.EvalSymlinks(original); err == nil {
		original = real // a link stays, and leads to what is laid over its end
	}
	return sandbox.Bind{From: file, To: original, Access: sandbox.ReadOnly},
		atomicfile.WriteUnsynced(file, []byte(text), 0o600)
}
