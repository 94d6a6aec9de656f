package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/git"
)

// TestPersonsSettingElsewhere holds that where HOME is not the person's home the answer is git's for that home, and
// that no git is started for a key that stands nowhere.
func TestPersonsSettingElsewhere(t *testing.T) {
	const key = "delegate.approval"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":        {nil, ""},
		"another key": {map[string]string{".gitconfig": "[user]\n\tname = A\n"}, ""},
		"its file":    {map[string]string{".gitconfig": "[Delegate]\n\tAPPROVAL = key\n"}, "key"},
		"the XDG one": {map[string]string{".config/git/config": "[delegate]\n\tapproval = key\n"}, "key"},
		"an included": {map[string]string{".gitconfig": "[Include]\n\tpath = more\n",
			"more": "[delegate]\napproval = key\n"}, "key"},
		"not a setting": {map[string]string{".gitconfig": "[user]\n\tname = approval\n"}, ""},
		"both": {map[string]string{".config/git/config": "[delegate]\napproval = a\n",
			".gitconfig": "[delegate]\napproval = b\n"}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
				t.Setenv(variable, "") // puts it back at the end
				if err := os.Unsetenv(variable); err != nil {
					t.Fatal(err)
				}
			}
			home, other := t.TempDir(), t.TempDir()
			t.Setenv("HOME", other)
			write(t, filepath.Join(other, ".gitconfig"),
				"[user]\nname = A\nemail = a@example.org\n[delegate]\napproval = other\n")
			for file, text := range c.files {
				write(t, filepath.Join(home, file), text)
			}
			r := newBox(t, map[string]string{"f": "1\n"}).open()
			asked, err := git.PersonsSetting(t.Context(), home, r.CommonDir, key)
			if err != nil || asked != c.want {
				t.Fatalf("git says %q, %v, want %q", asked, err, c.want)
			}
			if got, err := r.PersonsSetting(t.Context(), home, key); err != nil || got != c.want {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
			if c.want == "" && name != "not a setting" {
				t.Setenv("PATH", "")
				if got, err := r.PersonsSetting(t.Context(), home, key); err != nil || got != "" {
					t.Errorf("without a git: %q, %v", got, err)
				}
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
