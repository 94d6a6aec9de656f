package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// withLogins are the sections of a configuration in which logins stand, or say how one is got, and settings that
// do. Nothing that reads or commits needs them.
var withLogins = []string{"http", "url", "credential", "sendemail", "imap", "include", "includeif", "core.sshcommand",
	"core.askpass", "core.gitproxy"}

// Keys that are called like a secret, in whichever section.
var secretKey = lazyregexp.New(`(?i)pass|passwd|token|secret|cookie|apikey|auth`)

// What stands before the host in an address: all of it where a token can be the name, else what follows the name.
var (
	webUser    = lazyregexp.New(`(?i)\b((?:https?|ftps?)://)[^/\s@]*@`)
	password   = lazyregexp.New(`(?i)\b([a-z][a-z0-9+.-]*://[^/\s@:]*):[^/\s@]*@`)
	tokenQuery = lazyregexp.New(`(?i)([?&][a-z_]*(?:token|key|secret|password)=)[^&\s]*`)
)

// ConfigWithoutLogins is the repository's own configuration with what it includes, in the form that git reads, less
// what could hold a login: some sections, and users and passwords in addresses.
func (r *Repo) ConfigWithoutLogins(ctx context.Context) (string, error) {
	c, err := r.configuration(ctx)
	if err != nil {
		return "", err
	}
	return c.withoutLogins("local"), nil
}

// SystemWithoutLogins are the files of git's configuration of the system that are there, each with what is to be read
// in its place: in the first one all that git has from them, in the same form.
func (r *Repo) SystemWithoutLogins(ctx context.Context) (texts map[string]string, err error) {
	c, err := r.configuration(ctx)
	if err != nil {
		return nil, err
	}
	texts = map[string]string{}
	text := c.withoutLogins("system")
	for _, s := range c.settings {
		if _, known := texts[s.file]; s.scope == "system" && s.file != "" && !known {
			texts[s.file], text = text, ""
		}
	}
	if _, known := texts[systemFile]; !known && isThere(systemFile) { // of which git here reads nothing
		texts[systemFile] = ""
	}
	return texts, nil
}

// withoutLogins are the settings of a scope in the form that git reads, without logins.
func (c configuration) withoutLogins(scope string) string {
	var b strings.Builder
	for _, s := range c.settings {
		section, rest, _ := strings.Cut(s.key, ".")
		if s.scope != scope || slices.Contains(withLogins, section) || slices.Contains(withLogins, s.key) {
			continue
		}
		name := rest
		if at := strings.LastIndexByte(rest, '.'); at >= 0 {
			name = rest[at+1:]
			section += "." + withoutLogin(rest[:at])
		}
		if secretKey.MatchString(name) {
			continue
		}
		s.key, s.value = section+"."+name, withoutLogin(s.value)
		b.WriteString(s.entry())
	}
	return b.String()
}

func withoutLogin(text string) string {
	text = webUser.ReplaceAllString(text, "$1")
	text = password.ReplaceAllString(text, "$1@")
	return tokenQuery.ReplaceAllString(text, "$1")
}

// entry is the setting in the form that git reads.
func (s setting) entry() string {
	section, name, _ := strings.Cut(s.key, ".")
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		section, name = section+" "+quoteConfig(name[:at]), name[at+1:]
	}
	if s.bare { // without a value it means true
		return fmt.Sprintf("[%s]\n\t%s\n", section, name)
	}
	return fmt.Sprintf("[%s]\n\t%s = %s\n", section, name, quoteConfig(s.value))
}

// quoteConfig writes a value, or the name of a subsection, so that git reads the same.
func quoteConfig(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(text) + `"`
}
