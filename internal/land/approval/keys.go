package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/sys/run"
)

// namespace is what the signatures are for: none that was made for git holds here, nor the other way round.
const namespace = "delegate"

// The lines around a signature as ssh-keygen prints it.
const (
	head = "-----BEGIN SSH SIGNATURE-----"
	foot = "-----END SSH SIGNATURE-----"
)

// Limits of time: a person touches a key or types a passphrase; a check asks nobody.
const (
	signLimit  = 5 * time.Minute
	checkLimit = 30 * time.Second
)

// Keys are a person's settings for signatures, as git has them.
type Keys struct {
	program string // the path of ssh-keygen, or of what gpg.ssh.program names
	signing string // a file, or a public key itself; "" where none is set
	allowed string // the file of those who may approve, "" where none is set
}

// ErrNoProgram says that nothing here can sign or check a signature.
var ErrNoProgram = errors.New("approval by a key needs the program ssh-keygen, which is not installed")

// ErrNoKey and ErrNoSigners say which of git's settings is not made.
var (
	ErrNoKey     = errors.New("approval by a key needs a key: your git configuration has no user.signingkey")
	ErrNoSigners = errors.New("approval by a key needs the list of those who may approve: your git configuration has " +
		"no gpg.ssh.allowedSignersFile")
)

// Find reads the settings of the person with that home who works in the folder; ErrNoProgram (wrapped) where nothing
// can use them.
func Find(ctx context.Context, home, dir string) (Keys, error) {
	values := map[string]string{}
	for _, key := range []string{"gpg.ssh.program", "user.signingkey", "gpg.ssh.allowedSignersFile"} {
		value, err := git.PersonsSetting(ctx, home, dir, key)
		if err != nil {
			return Keys{}, err
		}
		if rest, found := strings.CutPrefix(value, "~/"); found {
			value = filepath.Join(home, rest)
		}
		values[key] = value
	}
	k := Keys{signing: values["user.signingkey"], allowed: values["gpg.ssh.allowedSignersFile"]}
	if k.allowed != "" && !filepath.IsAbs(k.allowed) {
		return Keys{}, fmt.Errorf("gpg.ssh.allowedSignersFile is %q, which agents may write: name it from the root",
			k.allowed)
	}
	var err error
	if k.program, err = run.Which(cmp.Or(values["gpg.ssh.program"], "ssh-keygen"), "/", os.Getenv("PATH")); err != nil {
		return Keys{}, fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	return k, nil
}

// PrivateFile is where a setting of user.signingkey has its private key, "" where it names none.
func PrivateFile(signing, home string) string {
	if rest, found := strings.CutPrefix(signing, "~/"); found {
		signing = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(signing) {
		return ""
	}
	return strings.TrimSuffix(signing, ".pub")
}

// Sign has the person's key sign the statement and answers with both in one line. The program may ask at the terminal
// for a passphrase or a touch; told is where its words go.
func (k Keys) Sign(ctx context.Context, s Statement, words io.Writer) (string, error) {
	if k.signing == "" {
		return "", ErrNoKey
	}
	file, options := k.signing, []string(nil)
	if key, literal := literalKey(k.signing); literal {
		dir, err := os.MkdirTemp("", "delegate-key-")
		if err != nil {
			return "", fmt.Errorf("make place for a public key: %w", err)
		}
		defer os.RemoveAll(dir)
		file, options = filepath.Join(dir, "key.pub"), []string{"-U"} // only an agent for keys has the private one
		if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
			return "", fmt.Errorf("write public key: %w", err)
		}
	}
	out, err := run.Output(ctx, run.Command{Path: k.program, Stdin: strings.NewReader(s.String() + "\n"), Stderr: words,
		Args: append([]string{"-Y", "sign", "-n", namespace, "-f", file}, options...), Limit: signLimit})
	if err != nil {
		return "", fmt.Errorf("nothing was signed by the key %q: %w", k.signing, err)
	}
	text := strings.TrimSpace(string(out))
	text, begun := strings.CutPrefix(text, head)
	text, ended := strings.CutSuffix(text, foot)
	if !begun || !ended {
		return "", fmt.Errorf("%s printed no signature", filepath.Base(k.program))
	}
	return s.String() + " " + strings.Join(strings.Fields(text), ""), nil
}

// literalKey is the public key that a setting holds in the place of a file's name, as git has it.
func literalKey(signing string) (string, bool) {
	if key, found := strings.CutPrefix(signing, "key::"); found {
		return key, true
	}
	return signing, strings.HasPrefix(signing, "ssh-")
}

// Check answers what was signed, and who of those who may approve signed it.
func (k Keys) Check(ctx context.Context, signed string) (s Statement, who string, err error) {
	s, signature, err := parse(signed)
	if err != nil {
		return s, "", err
	}
	if k.allowed == "" {
		return s, "", ErrNoSigners
	}
	dir, err := os.MkdirTemp("", "delegate-signature-")
	if err != nil {
		return s, "", fmt.Errorf("make place for a signature: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "signature")
	if err := os.WriteFile(file, []byte(head+"\n"+signature+"\n"+foot+"\n"), 0o600); err != nil {
		return s, "", fmt.Errorf("write signature: %w", err)
	}
	at := "-Overify-time=" + s.Time.Local().Format("20060102150405") // a key may have been one of them only then
	found, err := k.ask(ctx, "", "-Y", "find-principals", "-s", file, "-f", k.allowed, at)
	if err != nil {
		return s, "", fmt.Errorf("its key is none of %q: %w", k.allowed, err)
	}
	who, _, _ = strings.Cut(found, "\n")
	if _, err := k.ask(ctx, s.String()+"\n", "-Y", "verify", "-n", namespace, "-I", who, "-s", file, "-f", k.allowed,
		at); err != nil {
		return s, "", fmt.Errorf("the signature does not hold: %w", err)
	}
	return s, who, nil
}

func (k Keys) ask(ctx context.Context, input string, args ...string) (string, error) {
	out, err := run.Output(ctx, run.Command{Path: k.program, Args: args, Stdin: strings.NewReader(input),
		Limit: checkLimit})
	return strings.TrimSpace(string(out)), err
}
