package git

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"delegate/internal/sys/run"
)

// setting is one entry of git's configuration.
type setting struct {
	scope      string // as git names it: "system", "global" and others
	file       string // where it stands, "" where it comes from no file
	key, value string
	bare       bool // the key stands without a value, which git takes for true
}

// settingsCache keeps the configuration as long as none of its files changes.
type settingsCache struct {
	mu       sync.Mutex
	kept     map[string]configuration // by git folder, or "" where all checkouts are configured alike
	programs [2]string                // the state of git's program, and where its others are
}

// configuration is what git said, and of which files.
type configuration struct {
	settings []setting
	state    string // that of the files
	files    []string
	answers  map[string]any // what git says by these settings, by question
}

// configuration lists git's configuration of this checkout without this program's own settings. What includes other
// files is asked for each time.
func (r *Repo) configuration(ctx context.Context) (configuration, error) {
	if r.common == nil {
		return r.listConfiguration(ctx)
	}
	cache := &r.common.settings
	cache.mu.Lock()
	defer cache.mu.Unlock()
	for _, of := range []string{"", r.GitDir} {
		if c, found := cache.kept[of]; found && filesState(c.files) == c.state {
			return c, nil
		}
		delete(cache.kept, of)
	}
	c, err := r.listConfiguration(ctx)
	if err != nil || c.state == "" || c.state != filesState(c.files) {
		return c, err
	}
	of := ""
	if slices.ContainsFunc(c.settings, func(s setting) bool { return s.key == "extensions.worktreeconfig" }) {
		of = r.GitDir
	}
	if cache.kept == nil {
		cache.kept = map[string]configuration{}
	}
	cache.kept[of] = c
	return c, nil
}

// listConfiguration asks git. Without a state the answer is for once.
func (r *Repo) listConfiguration(ctx context.Context) (configuration, error) {
	c := configuration{answers: map[string]any{}, files: r.usualSettingsFiles()}
	before := filesState(c.files)
	args := []string{"config", "--show-scope", "--show-origin", "-z", "--list"}
	out, err := output(ctx, call{reads: true}, run.Command{
		Path: "git", Args: args, Dir: r.dir(), Env: append(r.environ(), "GIT_OPTIONAL_LOCKS=0"), Limit: readLimit,
	})
	parts := fields(out)
	if err == nil && (len(parts) == 0 || len(parts)%3 != 0 || !bytes.HasSuffix(out, []byte{0})) {
		err = odd(args, string(out))
	}
	if err != nil {
		return c, fmt.Errorf("read how git is configured: %w", err)
	}
	includes, usual := false, len(c.files)
	for part := range slices.Chunk(parts, 3) {
		key, value, valued := strings.Cut(part[2], "\n")
		s := setting{scope: part[0], key: key, value: value, bare: !valued}
		if file, found := strings.CutPrefix(part[1], "file:"); found {
			if !filepath.IsAbs(file) {
				file = filepath.Join(r.dir(), file)
			}
			if s.file = file; !slices.Contains(c.files, file) {
				c.files = append(c.files, file)
			}
		}
		includes = includes || strings.HasPrefix(s.key, "include.") || strings.HasPrefix(s.key, "includeif.")
		c.settings = append(c.settings, s)
	}
	if !includes && filesState(c.files[:usual]) == before {
		c.state = filesState(c.files)
	}
	return c, nil
}

// usualSettingsFiles are those that git reads where they are there.
func (r *Repo) usualSettingsFiles() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	files := []string{
		systemFile, filepath.Join(home, ".gitconfig"), filepath.Join(personsFolder(home), "config"),
		filepath.Join(r.CommonDir, "config"), filepath.Join(r.GitDir, "config.worktree"),
	}
	for _, variable := range otherFiles() {
		if file := os.Getenv(variable); file != "" {
			files = append(files, file)
		}
	}
	return files
}

// systemFile is where git's configuration of the system lies, but for builds of it that are for another place.
const systemFile = "/etc/gitconfig"

// otherFiles are the variables that name other files for the system's and the person's settings.
func otherFiles() []string { return []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} }

// personsFolder is where git looks for a person's files by the XDG rules.
func personsFolder(home string) string {
	return filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git")
}

// filesState tells one state of files from another without reading them.
func filesState(files []string) string {
	var state strings.Builder
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			fmt.Fprintf(&state, "%q is not there\n", file)
			continue
		}
		fmt.Fprintf(&state, "%q %d %d %v %d\n", file, info.Size(), info.ModTime().UnixNano(), info.Mode(), inode(info))
	}
	return state.String()
}

// configured returns an answer that git gives by its configuration: the one that is known as long as that stays as it
// is, else what ask finds. Errors are not kept.
func configured[T any](ctx context.Context, r *Repo, question string, ask func() (T, error)) (T, error) {
	c, err := r.configuration(ctx)
	if err != nil || c.state == "" || r.common == nil {
		return ask()
	}
	cache := &r.common.settings
	cache.mu.Lock()
	answer, known := c.answers[question].(T)
	cache.mu.Unlock()
	if known {
		return answer, nil
	}
	if answer, err = ask(); err == nil {
		cache.mu.Lock()
		c.answers[question] = answer
		cache.mu.Unlock()
	}
	return answer, err
}
