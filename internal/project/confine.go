package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/agent"
	"delegate/internal/config"
	"delegate/internal/sandbox"
)

// fenceScratch is the fence of commands that run on a commit in the scratch checkout: they run what agents wrote, so they may fill that checkout,
// a temporary folder and layers over the person's caches, and nothing else. nil where the configuration wants none, or the machine has none,
// on which agents have the rights of the person anyway. The environment is the person's, without what is a secret by its name where there is a fence.
func (p *Project) fenceScratch(ctx context.Context) (*agent.Fence, []string, error) {
	env := Environ()
	c := p.Config.Sandbox
	if !c.Verify || c.Level == config.SandboxOff {
		return nil, env, nil
	}
	support := sandbox.Detect(ctx)
	if !support.Fenced() {
		return nil, env, nil
	}
	own := p.scratchHome()
	tmp, layers := filepath.Join(own, "tmp"), filepath.Join(own, "layers")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make folder for verify commands: %w", err)
	}
	env = append(slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, "TMPDIR=") || isSecret(e) }), "TMPDIR="+tmp)
	home, _ := os.UserHomeDir() // without one there is nothing below it
	held := sandbox.Everything(p.Scratch())
	held.Writable = append(held.Writable, tmp)
	held.Writable = append(held.Writable, p.SharedFolders()...)
	held.Caches = agent.Layers(layers, home, agent.WithCaches(env))
	held.Hidden = p.Hidden(append(held.Writable, p.Scratch()))
	fence := &agent.Fence{Policy: filepath.Join(p.Private, "verify-fence.json"), Support: support}
	return fence, env, held.Write(fence.Policy)
}

// SharedFolders are the folders of the person that the configuration opens, as far as they are there.
func (p *Project) SharedFolders() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	var all []string
	for _, name := range p.Config.Sandbox.Writable {
		at := Below(home, name)
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			all = append(all, at)
		}
	}
	return all
}

// isSecret tells an entry of an environment that holds a secret by its name.
func isSecret(entry string) bool {
	name, _, _ := strings.Cut(strings.ToUpper(entry), "=")
	for _, word := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "SSH_AUTH_SOCK"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Hidden are the places that no process of an agent's work may read or reach: where credentials lie, the sockets of the person's other programs,
// and what the configuration names. own are the places that belong to the process.
func (p *Project) Hidden(own []string) []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	hidden := sandbox.Doors(own)
	for _, name := range slices.Concat(sandbox.Credentials(), p.Config.Sandbox.Hidden) {
		hidden = append(hidden, Below(home, name))
	}
	return hidden
}

// Below is a path of the configuration: absolute, or below the person's home.
func Below(home, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(name, "~/")))
}
