package journal

import (
	"errors"
	"path/filepath"

	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
)

// Publication is the intent to send approved work out as pull requests, on disk before anything is pushed and gone when
// all of them are recorded. It is all that is needed to finish them: nothing is made anew.
type Publication struct {
	Session  string        `json:"session"`
	Digest   string        `json:"digest"`
	Who      string        `json:"who"`
	Override bool          `json:"override"`
	Signed   string        `json:"signed,omitempty"` // as the registry has it of an agent
	Target   string        `json:"target"`           // short name
	Upstream git.Upstream  `json:"upstream"`
	Address  string        `json:"address"`  // of the remote, without a login
	Requests []PullRequest `json:"requests"` // those that others are based on first
}

// PullRequest is one request of a publication.
type PullRequest struct {
	Heads  map[string]string `json:"heads"` // of the agents whose work it has, by their ids
	Branch string            `json:"branch"`
	Base   string            `json:"base"`
	Title  string            `json:"title"`
	Body   string            `json:"body"`
	Commit string            `json:"commit"`
	Old    string            `json:"old"`   // what was pushed last, "" for a new request
	URL    string            `json:"url"`   // of the open request, "" for a new one
	Below  bool              `json:"below"` // another one is based on it
}

func publicationFile(p *project.Project) string { return filepath.Join(p.Private, "publication.json") }

// Unpublished says whether a publication was cut short in this repository.
func Unpublished(p *project.Project) bool { return exists(publicationFile(p)) }

// ReadPublication is the publication that was cut short; ErrNothingUnpublished if there is none.
func ReadPublication(p *project.Project) (Publication, error) {
	return read[Publication](publicationFile(p), errNothingUnpublished)
}

// Write puts the intent on the disk.
func (j Publication) Write(p *project.Project) error {
	return atomicfile.WriteIndented(publicationFile(p), j)
}

// RemovePublication says that nothing is half done any more.
func RemovePublication(p *project.Project) error { return remove(publicationFile(p)) }

// errNothingUnpublished says that there is no publication to finish or give up.
var errNothingUnpublished = errors.New("no pull request is half done")

// ErrUnpublished says that an approved pull request was cut short and must be finished or given up first.
var ErrUnpublished = errors.New("a pull request that was approved is not open yet")
