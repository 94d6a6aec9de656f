package forge

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
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
	at, err := transport.NewEndpoint(text)
	if err != nil || at.Host == "" {
		return address{path: plainPath(text)}
	}
	a := address{scheme: "https", path: plainPath(at.Path)}
	switch at.Protocol {
	case "http", "https":
		a.scheme, a.host = at.Protocol, at.Host
		if at.Port != 0 {
			a.host += ":" + strconv.Itoa(at.Port)
		}
		if at.User != "" {
			a.login = url.UserPassword(at.User, at.Password)
		}
	case "ssh", "git", "git+ssh":
		a.host = at.Host
	}
	return a
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
