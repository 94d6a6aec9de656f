package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/project"
)

func noticeFile(p *project.Project) string { return filepath.Join(p.Private, "notices") }

// KeepNotices leaves what the supervisor has to tell a person for the next command.
func KeepNotices(p *project.Project, notices []string) error {
	for _, n := range notices {
		if err := AppendLine(noticeFile(p), strings.Join(strings.Fields(n), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// TakeNotices is what the supervisor left to be told, each once. Where nothing can be written they are told, and stay.
func TakeNotices(p *project.Project) ([]string, error) {
	from, taken := noticeFile(p), true
	if err := os.Rename(from, from+".taken"); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err == nil {
		from += ".taken"
	} else {
		taken = false
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return nil, fmt.Errorf("take notices: %w", err)
	}
	if taken {
		err = os.Remove(from)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n"), err
}
