package git

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Quarantined says whether objects are written to a folder of their own.
func (r *Repo) Quarantined() bool { return r.objects != "" }

// ParseTree reads a tree object as git stores it; idSize is the length of object ids in bytes.
func ParseTree(data []byte, idSize int) ([]Entry, error) {
	var all []Entry
	for len(data) > 0 {
		head, rest, found := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		bits, err := strconv.ParseUint(mode, 8, 32)
		if !found || !named || err != nil || len(rest) < idSize {
			return nil, fmt.Errorf("git tree entry %q", head)
		}
		all = append(all, Entry{Mode: uint32(bits), ID: hex.EncodeToString(rest[:idSize]), Path: name})
		data = rest[idSize:]
	}
	return all, nil
}

// ParseCommitTree finds the tree in a commit object as git stores it.
func ParseCommitTree(data []byte) (string, error) {
	line, _, _ := strings.Cut(string(data), "\n")
	tree, found := strings.CutPrefix(line, "tree ")
	if !found || !isFullID(tree) {
		return "", fmt.Errorf("git commit begins with %q", line)
	}
	return tree, nil
}
