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

// keepNotices leaves what the supervisor has to tell a person for the next command.
func keepNotices(p *project.Project, notices []string) error {
	for _, n := range notices {
		if err := appendLine(noticeFile(p), strings.Join(strings.Fields(n), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// TakeNotices is what the supervisor left to be told, each once.
func TakeNotices(p *project.Project) ([]string, error) {
	taken := noticeFile(p) + ".taken"
	if err := os.Rename(noticeFile(p), taken); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("take notices: %w", err)
	}
	data, err := os.ReadFile(taken)
	if err != nil {
		return nil, fmt.Errorf("take notices: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n"), os.Remove(taken)
}
