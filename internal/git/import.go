package git

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"delegate/internal/run"
)

// unsound makes a *TakeOverError of git's refusal; any other error stays what it is, and so does a
// git that was ended before it could tell.
func unsound(err error) error {
	var exit *run.ExitError
	if !errors.As(err, &exit) || exit.Code < 0 {
		return err
	}
	detail := exit.Stderr
	if detail == "" {
		detail = exit.Error()
	}
	return &TakeOverError{Detail: detail}
}

// ImportRequest is commits that are to become part of the repository with all they need.
type ImportRequest struct {
	Tips     []string // commits, by their full ids
	Unproven string   // folder of references, such as `refs/heads/delegate/`, that may name unchecked commits
}

// walk are the arguments that list what the tips need and no proven reference has.
// A reference whose commit is missing proves nothing; whether the tips are there is asked before.
func (in ImportRequest) walk(options ...string) []string {
	args := append([]string{"rev-list", "--objects", "--ignore-missing", "--exclude-promisor-objects"}, options...)
	args = append(args, in.Tips...)
	return append(args, "--not", "--exclude="+in.Unproven+"*", "--glob=refs/*")
}

// Connected finds out whether the repository has the tips, each a commit, and all they need down to
// what proven references have. If not, the answer is a *TakeOverError.
func (r *Repo) Connected(ctx context.Context, in ImportRequest) error {
	kinds, err := r.kinds(ctx, in.Tips)
	if err != nil {
		return err
	}
	for i, kind := range kinds {
		switch kind {
		case "commit":
		case "":
			return &TakeOverError{Detail: fmt.Sprintf("commit %s is missing", in.Tips[i])}
		default:
			return &TakeOverError{Detail: fmt.Sprintf("%s is a %s and no commit", in.Tips[i], kind)}
		}
	}
	_, err = r.do(ctx, call{args: in.walk("--quiet"), env: offline(), reads: true, limit: workLimit})
	return unsound(err)
}

// IndexPack makes the index of a pack that lies in the objects of this quarantine, from the pack's content alone.
// A pack that is not sound is a *TakeOverError. It writes.
func (r *Repo) IndexPack(ctx context.Context, pack string) error {
	_, err := r.do(ctx, call{args: []string{"index-pack", pack}})
	return unsound(err)
}

// Import copies what the tips need and the repository does not have from the quarantine held into
// the repository. Every object gets the id that its content has and passes git's strict checks, so
// what claimed another id is still missing afterwards: Connected tells. A *TakeOverError says what
// is not sound. No reference moves. It writes objects.
func (r *Repo) Import(ctx context.Context, held *Repo, in ImportRequest) error {
	list, err := held.ids(ctx, call{args: in.walk("--no-object-names"), reads: true, limit: workLimit})
	if err != nil {
		return unsound(err)
	}
	if len(list) == 0 {
		return nil
	}
	if r.bounds != (Bounds{}) {
		if err := r.checkLimits(ctx, held, list); errors.Is(err, ErrNoObject) || errors.Is(err, ErrTooLarge) {
			return &TakeOverError{Detail: err.Error()}
		} else if err != nil {
			return err
		}
	}
	intake, err := r.intake(ctx, len(list))
	if err != nil {
		return err
	}
	args := []string{"pack-objects", "--stdout", "--delta-base-offset", "-q"}
	pack := held.command(call{args: args, stdin: asLines(list)})
	talk, err := run.StartPiped(ctx, pack)
	if err != nil {
		return fmt.Errorf("take over %d tips: %w", len(in.Tips), err)
	}
	_, err = r.do(ctx, call{args: intake, stdin: talk.Out, env: offline()})
	packed := talk.Close()
	var exit *run.ExitError
	refused := err != nil && errors.As(packed, &exit) && exit.Signal == syscall.SIGPIPE.String()
	if packed != nil && !refused {
		err = packed // the reader only says that the rest did not come
	}
	return unsound(err)
}

// unpackMost is up to how many objects come as single files, as when git fetches; more stay one pack.
const unpackMost = 100

// intake is the command that reads a pack and checks it. In a partial clone the strict one would
// ask for what is not here for good reason.
func (r *Repo) intake(ctx context.Context, objects int) ([]string, error) {
	partial, err := r.isPartial(ctx)
	switch {
	case err != nil:
		return nil, err
	case partial:
		return []string{"index-pack", "--stdin", "--fsck-objects"}, nil
	case objects <= unpackMost:
		return []string{"unpack-objects", "--strict", "-q"}, nil
	}
	return []string{"index-pack", "--stdin", "--strict"}, nil
}
