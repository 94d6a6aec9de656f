package session

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

func OrElse(text, other string) string {
	if strings.TrimSpace(text) == "" {
		return other
	}
	return strings.TrimSpace(text)
}

func AppendLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append to %q: %w", path, err)
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Close())
}

// Signature tells a registry file apart from an older one without reading it.
type Signature struct {
	Size int64
	Time time.Time
}

func SignatureOf(path string) Signature {
	info, err := os.Stat(path)
	if err != nil {
		return Signature{}
	}
	return Signature{Size: info.Size(), Time: info.ModTime()}
}

// FilesText names a few files and how many more there are.
func FilesText(files []string) string {
	const most = 8
	switch {
	case len(files) == 0:
		return "no files changed"
	case len(files) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
	}
	return strings.Join(files, ", ")
}
