package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"delegate/internal/atomicfile"
	"delegate/internal/lazyregexp"
)

// What this file reads is what git answers in the usual case; of any other git is asked, at the cost of a process.

// headRef is the branch that this checkout is on, by the file HEAD, "" where only git can tell: where references are no
// files, HEAD is a commit or a link, or the branch stands for another one.
func (r *Repo) headRef() string {
	if !r.LooseRefs() {
		return ""
	}
	return r.refOf(filepath.Join(r.GitDir, "HEAD"))
}

// refOf is the branch that a file HEAD names, as headRef.
func (r *Repo) refOf(head string) string {
	info, err := os.Lstat(head)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := atomicfile.ReadRegular(head, mostOfRef)
	ref, named := strings.CutPrefix(strings.TrimSuffix(string(data), "\n"), "ref: ")
	if err != nil || !named || !strings.HasPrefix(ref, "refs/heads/") || !isEverywhere(ref) {
		return ""
	}
	symbolic, err := isSymbolic(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
	if err != nil || symbolic {
		return ""
	}
	return ref
}

// mostOfRef bounds the file of a reference.
const mostOfRef = 4 << 10

// IsSymbolic reports whether a branch, by its full name, is only another name of one.
func (r *Repo) IsSymbolic(branch string) (bool, error) {
	return isSymbolic(filepath.Join(r.CommonDir, filepath.FromSlash(branch)))
}

// isSymbolic reports whether the file of a reference names another one. One that is not there may be packed, which a
// symbolic one never is; git leaves an empty folder in its place.
func isSymbolic(file string) (bool, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return true, err // a link to another branch's file is one as well
	}
	data, err := atomicfile.ReadRegular(file, mostOfRef)
	return bytes.HasPrefix(data, []byte("ref:")), err
}

// plainPerson is who commits, or is the author, where variables or settings say so in words that git takes as they are;
// false where it would have to change them, or to guess.
func (r *Repo) plainPerson(ctx context.Context, role string) (p Person, ok bool) {
	c, err := r.configuration(ctx)
	if err != nil || r.Quarantined() {
		return p, false
	}
	for part, to := range map[string]*string{"name": &p.Name, "email": &p.Email} {
		value, set := os.LookupEnv("GIT_" + strings.ToUpper(role+"_"+part))
		for _, key := range []string{role + "." + part, "user." + part} {
			for _, s := range c.settings {
				if !set && s.key == key {
					value = s.value // the last one counts
				}
			}
			set = set || value != ""
		}
		if *to = value; !isPlainWord(value) {
			return p, false
		}
	}
	return p, true
}

// isPlainWord reports whether git has nothing to take away from a name or an address.
func isPlainWord(text string) bool {
	const around = " .,:;<>\"\\'"
	return text != "" && utf8.ValidString(text) && text == strings.Trim(text, around) &&
		!strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == '<' || c == '>' || c == 0x7f })
}

// Who made a commit, as most commits have it: git's log prints the same of it.
var plainSignature = lazyregexp.New(
	`^ ([^<>\x00-\x1f\x7f]+) <([^<>\x00-\x1f\x7f]+)> (0|[1-9][0-9]{0,10}) ([+-][0-9]{4})$`,
)

// plainIdentity is what the format prints of a commit, as git stores it; false where git has to look.
func plainIdentity(data, format string) (line string, ok bool) {
	header, _, _ := strings.Cut(data, "\n\n")
	if !utf8.ValidString(header) || strings.Contains(header, "\nencoding ") {
		return "", false
	}
	replaced := []string{"%x00", "\x00"}
	for role, sign := range map[string]string{"author": "a", "committer": "c"} {
		_, rest, found := strings.Cut(header, "\n"+role)
		own, _, _ := strings.Cut(rest, "\n")
		parts := plainSignature.FindStringSubmatch(own)
		if !found || parts == nil || parts[4] == "-0000" || !isPlainWord(parts[1]) || !isPlainWord(parts[2]) ||
			strings.Contains(rest, "\n"+role) {
			return "", false
		}
		replaced = append(replaced, "%"+sign+"n", parts[1], "%"+sign+"e", parts[2], "%"+sign+"d", parts[3]+" "+parts[4])
	}
	return strings.NewReplacer(replaced...).Replace(format), true
}
