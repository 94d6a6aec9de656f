package forge

import (
	"net/url"
	"path"
	"strings"
)

// address is a remote's address in its parts, without a login.
type address struct {
	scheme string // http or https, by which the forge is asked
	host   string // with the port of http; "" for a path on this machine
	path   string // as in team/project
	login  *url.Userinfo
}

// parseAddress reads the forms that git knows. One that names no host is a path.
func parseAddress(text string) address {
	at, err := url.Parse(text)
	if err != nil || at.Scheme == "" || at.Host == "" {
		return parseShort(text)
	}
	a := address{scheme: "https", path: plainPath(at.Path)}
	switch at.Scheme {
	case "http", "https":
		a.scheme, a.host, a.login = at.Scheme, at.Host, at.User
	case "ssh", "git", "git+ssh":
		a.host = at.Hostname()
	}
	return a
}

// parseShort reads USER@HOST:PATH.
func parseShort(text string) address {
	host, rest, found := strings.Cut(text, ":")
	if !found || strings.Contains(host, "/") || strings.Contains(text, "://") || len(host) < 2 {
		return address{path: plainPath(text)}
	}
	return address{scheme: "https", host: host[strings.LastIndexByte(host, '@')+1:], path: plainPath(rest)}
}

func plainPath(p string) string { return strings.TrimSuffix(strings.Trim(p, "/"), ".git") }

// site is the host's first page.
func (a address) site() string { return a.scheme + "://" + a.host }

// root is where a forge begins that has its repositories two levels deep.
func (a address) root() string {
	folder := path.Dir(path.Dir("/" + a.path))
	return a.site() + strings.TrimSuffix(folder, "/")
}

// web is the repository's page.
func (a address) web() string { return a.site() + "/" + a.path }

// name is the repository as OWNER/NAME.
func (a address) name() string { return path.Base(path.Dir("/"+a.path)) + "/" + path.Base(a.path) }
