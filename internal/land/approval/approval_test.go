package approval_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"delegate/internal/land/approval"
)

func statement() approval.Statement {
	return approval.Statement{
		Operation: approval.Landing, Session: "DEL-20260102-150405", Agents: []string{"AGT-001", "AGT-002"},
		Target: "main", Commit: strings.Repeat("a", 40), Tree: strings.Repeat("b", 40),
		Digest: strings.Repeat("c", 64), Time: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC),
	}
}

// person is a home with a key and a list of who may approve; the machine's own git configuration does not count.
func person(t *testing.T) (home string) {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("needs OpenSSH")
	}
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	key := filepath.Join(home, "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	public, err := os.ReadFile(key + ".pub")
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "allowed"), append([]byte("ada@example.com "), public...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	configure(t, home, "[user]\n\tsigningkey = ~/key.pub\n[gpg \"ssh\"]\n\tallowedSignersFile = ~/allowed\n")
	return home
}

func configure(t *testing.T, home, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSignatures holds that a signature stands for the very words that were signed, by one of those who may.
func TestSignatures(t *testing.T) {
	home := person(t)
	keys, err := approval.Find(t.Context(), home, home)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := keys.Sign(t.Context(), statement(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	said, who, err := keys.Check(t.Context(), signed)
	if err != nil || who != "ada@example.com" || said.String() != statement().String() {
		t.Fatalf("%s by %q: %v", said, who, err)
	}
	at := strings.LastIndex(signed, " ") + 1
	for name, other := range map[string]string{
		"another agent":       strings.Replace(signed, "AGT-002", "AGT-003", 1),
		"another tree":        strings.Replace(signed, "bbbb", "bbba", 1),
		"another time":        strings.Replace(signed, "15:04:05Z", "15:04:06Z", 1),
		"another operation":   strings.Replace(signed, "=landing", "=rollback", 1),
		"no operation":        strings.Replace(signed, "=landing", "=anything", 1),
		"no signature":        signed[:at-1],
		"an empty one":        signed[:at],
		"another one":         signed[:at] + strings.ToUpper(signed[at:]),
		"words in between":    strings.Replace(signed, " tree=", " more=x tree=", 1),
		"two blanks":          strings.Replace(signed, " tree=", "  tree=", 1),
		"a line break within": strings.Replace(signed, " tree=", "\ntree=", 1),
	} {
		if said, who, err := keys.Check(t.Context(), other); err == nil {
			t.Errorf("%s: %s by %s", name, said, who)
		}
	}
	for name, line := range map[string]string{
		"the key is for git":  `ada@example.com namespaces="git" `,
		"the key came later":  `ada@example.com valid-after="20270101" `,
		"the key ended first": `ada@example.com valid-before="20250101" `,
	} {
		public, err := os.ReadFile(filepath.Join(home, "key.pub"))
		if err == nil {
			err = os.WriteFile(filepath.Join(home, "allowed"), append([]byte(line), public...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, who, err := keys.Check(t.Context(), signed); err == nil {
			t.Errorf("%s: signed by %s", name, who)
		}
	}
}

// TestSettings holds what is said where a setting of git's is missing or is one that an agent could write.
func TestSettings(t *testing.T) {
	home := person(t)
	find := func(text string) (approval.Keys, error) {
		configure(t, home, text)
		return approval.Find(t.Context(), home, home)
	}
	keys, err := find("[user]\n\tname = Ada\n")
	_, signErr := keys.Sign(t.Context(), statement(), io.Discard)
	if err != nil || !errors.Is(signErr, approval.ErrNoKey) {
		t.Errorf("%v, %v", err, signErr)
	}
	keys, err = find("[user]\n\tsigningkey = ~/key\n")
	signed, signErr := keys.Sign(t.Context(), statement(), io.Discard)
	_, _, checkErr := keys.Check(t.Context(), signed)
	if err != nil || signErr != nil || !errors.Is(checkErr, approval.ErrNoSigners) {
		t.Errorf("%v, %v, %v", err, signErr, checkErr)
	}
	if _, err := find("[gpg \"ssh\"]\n\tallowedSignersFile = allowed\n"); err == nil {
		t.Error("a list in the checkout is taken")
	}
	if _, err := find("[gpg \"ssh\"]\n\tprogram = no-such-program\n"); !errors.Is(err, approval.ErrNoProgram) {
		t.Error(err)
	}
	for signing, want := range map[string]string{"~/.ssh/id.pub": "/home/ada/.ssh/id", "/keys/id": "/keys/id",
		"ssh-ed25519 AAAA": "", "key::ssh-ed25519 AAAA": "", "": ""} {
		if got := approval.PrivateFile(signing, "/home/ada"); got != want {
			t.Errorf("the private key of %q is %q, want %q", signing, got, want)
		}
	}
}
