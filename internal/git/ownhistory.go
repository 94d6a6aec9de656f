package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

// OwnCommit is one commit of a line of work, as far as a reviewer of its history needs it.
type OwnCommit struct {
	ID, Author, Message string // the author as "Name <address>"
	// Added are the lines that it adds, whatever the attributes of their files say; of a merge, those that none of its
	// parents has.
	Added []byte
}

// mostAdded is how many bytes of added lines of one history are kept; the newest commits come first.
const mostAdded = 16 << 20

// OwnHistory are the commits of a line of work that another has not, newest first, with what each adds.
// More false says that the lines are all there are.
func (r *Repo) OwnHistory(ctx context.Context, onto, head string) (all []OwnCommit, more bool, err error) {
	args := []string{"log", "-z", "--topo-order", "--no-show-signature", "--no-color",
		"--format=%H%x00%an <%ae>%x00%B", "--end-of-options", head, "^" + onto}
	out, err := r.do(ctx, call{args: args, reads: true, limit: workLimit, env: offline()})
	if err != nil {
		return nil, false, wrap(err, "list commits of %.12s", head)
	}
	at := map[string]int{}
	for parts := fields(out); len(parts) >= 3; parts = parts[3:] {
		at[parts[0]] = len(all)
		all = append(all, OwnCommit{ID: parts[0], Author: parts[1], Message: parts[2]})
	}
	if len(all) == 0 {
		return nil, false, nil
	}
	patches := call{args: []string{"log", "--topo-order", "--no-show-signature", "--no-color", "--format=commit %H",
		"--patch", "--cc", "--unified=0", "--text", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--submodule=short",
		"--end-of-options", head, "^" + onto}, reads: true, limit: workLimit, env: offline()}
	size := 0
	err = r.stream(ctx, patches, func(a answer) error {
		commit := -1
		for {
			line, err := a.ReadBytes('\n')
			if id, is := bytes.CutPrefix(line, []byte("commit ")); is {
				n, known := at[strings.TrimSpace(string(id))]
				if !known {
					return odd(patches.args, string(line))
				}
				commit = n
			}
			if added := bytes.TrimLeft(line, "+ "); commit >= 0 && isAdded(line) {
				if size += len(added); size > mostAdded {
					more = true
					_, err = io.Copy(io.Discard, a)
					return err
				}
				all[commit].Added = append(all[commit].Added, added...)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	return all, more, wrap(err, "read patches of %.12s", head)
}

// isAdded says whether a line of a patch is one that was added: to the file, or to that of each parent of a merge.
func isAdded(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("+")) || bytes.HasPrefix(line, []byte(" +"))) &&
		!bytes.HasPrefix(line, []byte("+++ "))
}
