package takeover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"syscall"
	"time"
)

// pipeDelay is how long a look goes on before it is asked whether its git waits at a pipe: longer than most take.
const pipeDelay = 2 * time.Second

// unblock has no git that looks at the checkout wait at a pipe in the place of a file that git opens by its name, as
// .gitignore: what is no file of anybody's is taken away, as often as it comes, and whoever waits there reads nothing.
// Who looked calls ended, which answers with what was taken away.
func (c *Checkout) unblock(ctx context.Context) (ended func() []string) {
	within, stop := context.WithCancel(ctx)
	var looking sync.WaitGroup
	var gone []string
	looking.Go(func() {
		for delay := pipeDelay; ; delay *= 2 {
			select {
			case <-within.Done():
				return
			case <-time.After(delay):
				gone = append(gone, c.dropPipes(within)...)
			}
		}
	})
	return func() []string {
		stop()
		looking.Wait()
		return gone
	}
}

// dropPipes takes such pipes away and names them. The agent may be at work, so no link is followed.
func (c *Checkout) dropPipes(ctx context.Context) (gone []string) {
	root, err := os.OpenRoot(c.Path)
	if err != nil {
		return nil
	}
	defer root.Close()
	opened := []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}
	_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err == nil && d.Type() == fs.ModeNamedPipe && slices.Contains(opened, path.Base(name)) &&
			dropPipe(root, name) == nil {
			gone = append(gone, fmt.Sprintf("%q was a pipe, at which git waited: it was removed", name))
		}
		return nil // what cannot be read git does not open either
	})
	return gone
}

// dropPipe removes a pipe. Who waits for a writer gets one first, and the end of what it writes.
func dropPipe(root *os.Root, name string) error {
	writer, err := root.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, syscall.ENXIO): // nobody waits
		return root.Remove(name)
	case err != nil:
		return err
	}
	info, err := writer.Stat()
	if err == nil && info.Mode().Type() != fs.ModeNamedPipe {
		err = errNoFile
	}
	if err == nil {
		err = root.Remove(name)
	}
	return errors.Join(err, writer.Close())
}
