package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrorText is an error in one text for people: what Go puts before a path, the name of a call of the system, is left
// out, and what the system says of it are words.
func ErrorText(err error) string {
	text := err.Error()
	for rest := []error{err}; len(rest) > 0; {
		at := rest[0]
		rest = rest[1:]
		var raw, subject, reason string
		switch e := at.(type) {
		case *fs.PathError:
			raw, subject, reason = e.Error(), fmt.Sprintf("%q", e.Path), reasonAt(e.Path, e.Err)
		case *os.LinkError:
			raw, subject, reason = e.Error(), fmt.Sprintf("%q to %q", e.Old, e.New), ": "+e.Err.Error()
		case *os.SyscallError:
			raw, reason = e.Error(), e.Err.Error()
		case *json.SyntaxError:
			raw, reason = e.Error(), fmt.Sprintf("is not valid JSON at byte %d", e.Offset)
		case *json.UnmarshalTypeError:
			raw, reason = e.Error(), fmt.Sprintf("the JSON has a %s at %q, which is not what belongs there",
				e.Value, e.Field)
		case interface{ Unwrap() []error }:
			rest = append(rest, e.Unwrap()...)
		default:
			if below := errors.Unwrap(at); below != nil {
				rest = append(rest, below)
			}
		}
		if before, after, found := strings.Cut(text, raw); raw != "" && found {
			if subject != "" && strings.HasSuffix(before, subject+": ") { // the text has named it
				subject, reason = "", strings.TrimPrefix("it"+reason, "it: ")
			}
			text = before + subject + reason + after
		}
	}
	return text
}

// reasonAt is what the system says of a path, as the rest of a sentence that begins with the path.
func reasonAt(path string, err error) string {
	folder := filepath.Dir(path)
	isMissing := func() bool { // a path in a tree of git is in no folder
		_, err := os.Stat(folder)
		return errors.Is(err, fs.ErrNotExist)
	}
	switch {
	case errors.Is(err, syscall.ENOENT) && isMissing():
		return fmt.Sprintf(": the folder %q does not exist", folder)
	case errors.Is(err, fs.ErrNotExist):
		return " does not exist"
	case errors.Is(err, syscall.EISDIR):
		return " is a folder, not a file"
	case errors.Is(err, syscall.ENOTDIR):
		return ": a part of this path is a file, not a folder"
	}
	return ": " + err.Error()
}
