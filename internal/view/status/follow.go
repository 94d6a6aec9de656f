package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"delegate/internal/project"
	"delegate/internal/turn/keeper"
)

// FollowOptions say where a transcript goes and whether to wait for more.
type FollowOptions struct {
	Out     io.Writer
	Wait    bool
	Session string // also one that ended; "" is the active one
}

// Follow writes an agent's transcript, turn after turn. With Wait it goes on until the agent has
// ended or needs a person.
func Follow(ctx context.Context, p *project.Project, id string, o FollowOptions) error {
	turn, offset := 1, int64(0)
	for {
		state, err := p.Active(ctx)
		if o.Session != "" {
			state, err = p.Store.History(ctx, o.Session)
		}
		if err != nil {
			return err
		}
		a, err := state.Agent(id)
		if err != nil {
			return err
		}
		over := IsOver(state, a) // looked at before the last read, so that nothing printed before is missed
		for ; turn <= a.Turns; turn++ {
			n, err := copyFrom(o.Out, keeper.Turn{Dir: p.TurnDir(state.Session.ID, id, turn)}.Readable(), offset)
			if err != nil {
				return err
			}
			offset += n
			if turn == a.Turns {
				break
			}
			offset = 0
		}
		if !o.Wait || over {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followPause):
		}
	}
}

func copyFrom(out io.Writer, path string, offset int64) (int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read transcript: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read transcript: %w", err)
	}
	return io.Copy(out, file)
}

// followPause is how long a transcript is left alone between two looks.
const followPause = 200 * time.Millisecond
