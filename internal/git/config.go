package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"delegate/internal/sys/run"
)

// ConfigFile is what a file of git's configuration says, without what it includes: the values of
// each key in their order. Keys are as git names them: `core.hookspath`, `filter.lfs.clean`. A file
// that git cannot read is a *run.ExitError (wrapped).
func (r *Repo) ConfigFile(ctx context.Context, file string) (map[string][]string, error) {
	out, err := r.read(ctx, "config", "--file", file, "--list", "-z", "--no-includes")
	if err != nil {
		return nil, fmt.Errorf("read configuration %q: %w", file, err)
	}
	all := map[string][]string{}
	for _, field := range fields(out) {
		key, value, _ := strings.Cut(field, "\n")
		all[key] = append(all[key], value)
	}
	return all, nil
}

// HasConfig reports whether a key is configured, to anything. Its section and its last part are in small letters.
func (r *Repo) HasConfig(ctx context.Context, key string) (bool, error) {
	found, err := r.matching(ctx, "^"+regexp.QuoteMeta(key)+"$")
	return len(found) > 0, err
}

// SetConfig sets a key in the repository's own configuration. It writes.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	_, err := r.do(ctx, call{args: []string{"config", "--local", key, value}})
	return wrap(err, "set %s", key)
}

// PersonsSetting is the last value of a key in git's configuration of the person or of the system, "" if neither
// has it; home is the person's. A repository's own does not count, and neither do variables that say what is configured
// or in which file: whoever starts this program can set them.
func PersonsSetting(ctx context.Context, home, dir, key string) (string, error) {
	env := slices.DeleteFunc(plainEnviron(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(placesOfSettings(), name)
	})
	out, err := run.Output(ctx, run.Command{Path: "git", Dir: dir, Env: append(env, "HOME="+home, "LC_ALL=C"),
		Limit: readLimit, Args: []string{"config", "--show-scope", "-z", "--get-all", key}})
	if run.ExitCode(err) == 1 { // nothing has it
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s of your git configuration: %w", key, err)
	}
	value, pairs := "", fields(out)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == "global" || pairs[i] == "system" {
			value = pairs[i+1]
		}
	}
	return value, nil
}

// placesOfSettings are the variables that say where the settings of the person and of the system lie.
func placesOfSettings() []string {
	return append(otherFiles(), "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM")
}

// PersonsSetting is the same for who works in a repository.
func (r *Repo) PersonsSetting(ctx context.Context, home, key string) (string, error) {
	for _, variable := range append(otherFiles(), "GIT_CONFIG_NOSYSTEM") {
		if os.Getenv(variable) != "" {
			return PersonsSetting(ctx, home, r.CommonDir, key)
		}
	}
	scopes := []string{"global", "system"}
	if os.Getenv("HOME") != home || personsFolder(home) != filepath.Join(home, ".config", "git") {
		if mayBeIn(home, key) {
			return PersonsSetting(ctx, home, r.CommonDir, key)
		}
		scopes = scopes[1:] // the listed global ones are of another home
	}
	found, err := r.matching(ctx, "^"+regexp.QuoteMeta(strings.ToLower(key))+"$")
	value := ""
	for _, s := range found {
		if slices.Contains(scopes, s.scope) {
			value = s.value
		}
	}
	return value, err
}

// mayBeIn reports whether the person's files of that home may set a key: they have its last part, which git reads in
// any case of letters and in no other spelling, or they take in others.
func mayBeIn(home, key string) bool {
	name := strings.ToLower(key[strings.LastIndexByte(key, '.')+1:])
	for _, file := range []string{filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config")} {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		text := strings.ToLower(string(data))
		if err != nil || strings.Contains(text, name) || strings.Contains(text, "include") {
			return true
		}
	}
	return false
}

// isSet is a setting that is true or false; false where it is not made.
func (r *Repo) isSet(ctx context.Context, key string) (bool, error) {
	if made, err := r.HasConfig(ctx, strings.ToLower(key)); err != nil || !made {
		return false, err
	}
	args := []string{"config", "--type=bool", "--default=false", "--get", key}
	value, err := r.line(ctx, args...)
	if err == nil && value != "true" && value != "false" {
		err = odd(args, value)
	}
	return value == "true", wrap(err, "read %s", key)
}

// disarm sets every configured key that matches to the value.
// It answers with environment entries: unlike the option -c they carry a name that holds an equals sign.
func (r *Repo) disarm(ctx context.Context, keys, value string) ([]string, error) {
	found, err := r.matching(ctx, keys)
	if err != nil {
		return nil, err
	}
	settings := make([][2]string, len(found))
	for i, s := range found {
		settings[i] = [2]string{s.key, value}
	}
	return settingsEnviron(settings), nil
}

// settingsEnviron is the environment in which git has these settings, each a key and its value.
func settingsEnviron(settings [][2]string) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}

// HooksPath is the folder of the person's hooks: as core.hooksPath names it, which may begin at the
// worktree, else the repository's own.
func (r *Repo) HooksPath(ctx context.Context) (string, error) {
	made, err := r.HasConfig(ctx, "core.hookspath")
	if err != nil || !made {
		return filepath.Join(r.CommonDir, "hooks"), err
	}
	args := []string{"config", "-z", "--type=path", "--get-all", "core.hooksPath"}
	all, err := r.fields(ctx, call{args: args, reads: true})
	if err == nil && len(all) < 2 {
		err = odd(args, strings.Join(all, " "))
	}
	if err != nil {
		return "", fmt.Errorf("read core.hooksPath: %w", err)
	}
	return all[len(all)-2], nil // the last one is this package's own
}

// Filters are the commands of the configured filter drivers, by driver.
func (r *Repo) Filters(ctx context.Context) (map[string][]string, error) {
	found, err := r.matching(ctx, `^filter\..*\.(clean|smudge|process)$`)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	drivers := map[string][]string{}
	for _, s := range found {
		driver := strings.TrimPrefix(s.key[:strings.LastIndexByte(s.key, '.')], "filter.")
		drivers[driver] = append(drivers[driver], s.value)
	}
	return drivers, nil
}

// MediaFolder is where git-lfs keeps the content of files.
func (r *Repo) MediaFolder(ctx context.Context) (string, error) {
	folder := "lfs"
	found, err := r.matching(ctx, `^lfs\.storage$`)
	for _, s := range found {
		folder = cmp.Or(s.value, folder)
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(r.CommonDir, folder)
	}
	return folder, err
}

// matching are the settings whose keys match the pattern, in git's order.
func (r *Repo) matching(ctx context.Context, keys string) ([]setting, error) {
	pattern, err := regexp.Compile(keys)
	if err != nil {
		return nil, err
	}
	c, err := r.configuration(ctx)
	var found []setting
	for _, s := range c.settings {
		if pattern.MatchString(s.key) {
			found = append(found, s)
		}
	}
	return found, err
}

// WithoutFilters is the same checkout, for calls in which these filter drivers run nothing.
func (r *Repo) WithoutFilters(drivers []string) *Repo {
	plain := *r
	plain.disabledFilters = strings.Join(drivers, "\n")
	return &plain
}

// programs is the folder of git's own programs. It is asked for again where git was replaced meanwhile.
func (r *Repo) programs(ctx context.Context) (string, error) {
	ask := func() (string, error) {
		return oneLine(ctx, run.Command{Path: "git", Args: []string{"--exec-path"}, Limit: readLimit})
	}
	program, err := run.Which("git", r.dir(), os.Getenv("PATH"))
	if err != nil || r.common == nil {
		return ask()
	}
	cache, state := &r.common.settings, filesState([]string{program})
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.programs[0] != state {
		folder, err := ask()
		if err != nil {
			return "", err
		}
		cache.programs = [2]string{state, folder}
	}
	return cache.programs[1], nil
}

// TransportHelpers are the programs through which git reaches others' repositories over a network,
// as far as they are installed.
func (r *Repo) TransportHelpers(ctx context.Context) ([]string, error) {
	folder, err := r.programs(ctx)
	if err != nil {
		return nil, fmt.Errorf("find git's programs: %w", err)
	}
	var all []string
	for _, name := range []string{"git-remote-http", "git-remote-https", "git-remote-ftp", "git-remote-ftps",
		"git-http-push", "git-http-fetch"} {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			all = append(all, path)
		}
	}
	if ssh, err := run.Which("ssh", "/", os.Getenv("PATH")); err == nil {
		all = append(all, ssh)
	}
	return all, nil
}

// SettingsFiles are the files outside of the repository that git reads to know how it is set, with those that name
// what is ignored and what attributes files have.
func (r *Repo) SettingsFiles(ctx context.Context) ([]string, error) {
	c, err := r.configuration(ctx)
	if err != nil {
		return nil, err
	}
	var all []string
	home, _ := os.UserHomeDir() // without one there is nothing below it
	for _, s := range c.settings {
		if s.file != "" {
			all = append(all, s.file)
		}
		if s.key != "core.excludesfile" && s.key != "core.attributesfile" {
			continue
		}
		value := s.value
		if rest, below := strings.CutPrefix(value, "~/"); below {
			value = filepath.Join(home, rest)
		}
		if filepath.IsAbs(value) {
			all = append(all, value)
		}
	}
	all = append(all, filepath.Join(personsFolder(home), "ignore"), filepath.Join(personsFolder(home), "attributes"))
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Borrowed are the folders of objects that one borrows from, and those that they borrow from.
func Borrowed(objects string) ([]string, error) {
	seen := []string{objects}
	for at := 0; at < len(seen) && at <= mostBorrowed; at++ {
		list, err := os.ReadFile(filepath.Join(seen[at], "info", "alternates"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read whose objects %q borrows: %w", seen[at], err)
		}
		for line := range strings.Lines(string(list)) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(seen[at], line)
			}
			if line = filepath.Clean(line); !slices.Contains(seen, line) {
				seen = append(seen, line)
			}
		}
	}
	return seen[1:], nil
}

// mostBorrowed is how many folders are read, well over the depth of five at which git itself stops.
const mostBorrowed = 100
