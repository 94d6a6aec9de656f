package guard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// What WriteHooks leaves in its folder beside the hooks.
const (
	// HookConfig is a file of git configuration that names the folder.
	HookConfig = "gitconfig"
	// HookPrograms is a folder for the front of PATH: with git's helper for PushScheme.
	HookPrograms = "bin"
	// PushScheme begins the URLs to which git pushes in place of any other. Where its helper is not
	// found, git prints this name as the reason.
	PushScheme = "agents-do-not-push"
)

// HookOptions say what the hooks of an agent's git ask, and which hooks of the person's go on after
// them. Paths are absolute.
type HookOptions struct {
	Program string // this program
	Policy  string // the file that Policy.Write wrote
	// Worktree is where the agent's git works.
	Worktree string
	// Own is the folder of the person's hooks: core.hooksPath as the person configured it, which
	// may begin at the worktree, else the repository's; "" for none. One in the worktree holds what
	// the agent may have written: its hooks are run all the same, for they run with the agent's own
	// rights.
	Own string
	// Config is git configuration for the worktree beside.
	Config string
}

// WriteHooks fills a folder, which holds no other programs, with hooks for an agent's git: before a
// commit the scope is asked, every push is refused, and each hook that the person has runs as it
// would, with its arguments and its input, after a question that lets it pass. What a commit brings
// along from others by a merge is not asked about, so pre-merge-commit is only the person's. Hooks
// are early, explained refusals: `git commit --no-verify` passes them.
func WriteHooks(dir string, o HookOptions) error {
	own, err := o.own()
	if err != nil {
		return fmt.Errorf("write git hooks: %w", err)
	}
	files := map[string]string{}
	for _, name := range own {
		files[name] = shebang + o.pass(name)
	}
	push := shebang + "exec " + o.ask("git-pre-push") + "\n"
	files["pre-commit"] = shebang + o.ask("git-pre-commit") + " || exit 1\n" + o.pass("pre-commit")
	files["pre-push"] = push
	files[filepath.Join(HookPrograms, "git-remote-"+PushScheme)] = push
	for name, text := range files {
		if err := atomicfile.WriteUnsynced(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			return err
		}
	}
	config := "[core]\n\thooksPath = " + quoted(dir) + "\n" + o.Config
	return atomicfile.WriteUnsynced(filepath.Join(dir, HookConfig), []byte(config), 0o644)
}

// SetMedia has git-lfs keep files in a folder in the worktree beside hooks that WriteHooks wrote.
func SetMedia(dir, folder string) error {
	file := filepath.Join(dir, HookConfig)
	config, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("set storage of git-lfs: %w", err)
	}
	return atomicfile.WriteUnsynced(file, append(config, "[lfs]\n\tstorage = "+quoted(folder)+"\n"...), 0o644)
}

// quoted is a path as a value of git's configuration.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(filepath.ToSlash(path)) + `"`
}

const shebang = "#!/bin/sh\n"

// ask is the command with which a hook asks this program, with the hook's own arguments.
func (o HookOptions) ask(question string) string {
	return run.Quote(o.Program) + " hook " + question + " " + run.Quote(o.Policy) + ` "$@"`
}

// pass runs the person's hook of a name in place of the script. It looks again, since a hook in the
// worktree comes and goes.
func (o HookOptions) pass(name string) string {
	if o.Own == "" {
		return ""
	}
	path := run.Quote(filepath.Join(o.folder(), name))
	return "if test -x " + path + "; then exec " + path + ` "$@"; fi` + "\n"
}

// folder is where the person's hooks lie.
func (o HookOptions) folder() string {
	if filepath.IsAbs(o.Own) {
		return o.Own
	}
	return filepath.Join(o.Worktree, o.Own)
}

// mostHooks is more entries than a folder of hooks has, also one in which an agent writes.
const mostHooks = 500

// own lists the hooks that the person has. A folder that is not there, or no folder, has none:
// /dev/null switches hooks off.
func (o HookOptions) own() ([]string, error) {
	if o.Own == "" {
		return nil, nil
	}
	folder, err := os.OpenFile(o.folder(), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if info, err := folder.Stat(); err != nil || !info.IsDir() {
		return nil, err
	}
	entries, err := folder.ReadDir(mostHooks)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(o.folder(), e.Name()))
		// git's own test: Windows marks nothing as executable
		runs := err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || runtime.GOOS == "windows")
		// a name that git can ask for, and no sample or what hooks keep beside them
		if runs && strings.Trim(e.Name(), "abcdefghijklmnopqrstuvwxyz0123456789-") == "" {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
