package takeover

import (
	"context"
	"errors"
	"os"

	"delegate/internal/git"
)

// Receive makes a commit part of the repository, with all it needs, that was made elsewhere: fetch brings its objects
// into a quarantine at folder, where only this program writes, and they pass the checks of those that an agent's git
// wrote here. A *git.TakeOverError says what is not sound. No reference moves.
func (c *Checkout) Receive(ctx context.Context, folder, commit string, fetch func(*git.Repo) error) error {
	in := git.ImportRequest{Tips: []string{commit}, Unproven: c.unproven()}
	var unsound *git.TakeOverError
	if err := c.Repo.Connected(ctx, in); !errors.As(err, &unsound) {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	held, err := c.Repo.Quarantine(folder)
	if err != nil {
		return err
	}
	if err := fetch(held); err != nil {
		return err
	}
	if err := c.Repo.Import(ctx, held, in); err != nil {
		return err
	}
	return c.Repo.Connected(ctx, in)
}
