package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"delegate/internal/git"
	"delegate/internal/land/threeway"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
)

// byHand lets the person merge the file, and takes nothing that holds conflict markers or was left as it was.
func (r *resolver) byHand(ctx context.Context, c threeway.Clash) (bool, error) {
	marked := c.Marked(r.name(c, threeway.OurSide), r.name(c, threeway.TheirSide))
	data := marked
	for {
		made, err := r.mergeText(ctx, c, data)
		switch {
		case isA[*toolError](err):
			r.linef(r.term.Yellow, "Nothing was resolved: %s", text(ui.ErrorText(err)))
			return false, nil
		case err != nil:
			return false, err
		case len(c.Hunks()) > 0 && string(made) == string(marked):
			r.linef(r.term.Yellow, "%s", "Nothing was resolved: the file was left as it was.")
			return false, nil
		}
		line, left := c.Leftover(made)
		if !left {
			return r.takeMerged(ctx, c, made)
		}
		again, err := r.term.Choose(ctx,
			fmt.Sprintf("Line %d of %s is still a conflict marker. Edit it again?", line, pathText(c.Path)),
			[]ui.Answer{
				{Word: "yes", Help: "go on with what you have"},
				{Word: "leave", Help: "resolve nothing here; what you typed is lost"},
			}, "leave")
		if err != nil || again == "leave" {
			return false, err
		}
		data = made
	}
}

func (r *resolver) takeMerged(ctx context.Context, c threeway.Clash, made []byte) (bool, error) {
	id, err := r.who.P.Repo.WriteBlob(ctx, made)
	if err != nil {
		return false, err
	}
	why, err := r.why(ctx)
	if err != nil {
		return false, err
	}
	e := c.Merged(id)
	return true, r.remember(ctx, c, threeway.Resolution{Method: threeway.ManualMerge, Why: why, Mode: e.Mode, ID: e.ID})
}

// mergeText opens a text with conflict markers in the person's merge tool, or in their editor where
// none is configured or it gave nothing. A *toolError says that the program gave no result.
func (r *resolver) mergeText(ctx context.Context, c threeway.Clash, marked []byte) ([]byte, error) {
	repo := r.who.P.Repo
	tool, err := repo.Tool(ctx)
	if err != nil {
		return nil, err
	}
	if tool != "" {
		sides := [3][]byte{c.Side(threeway.BaseSide), c.Side(threeway.OurSide), c.Side(threeway.TheirSide)}
		made, err := repo.RunTool(ctx, git.ToolMerge{Tool: tool, Name: path.Base(c.Path), Marked: marked, Sides: sides})
		r.term.Used()
		if !errors.Is(err, git.ErrToolLeft) {
			return made, err
		}
		word, askErr := r.term.Choose(ctx,
			fmt.Sprintf("%s gave no result. Edit %s in your editor?", text(tool), pathText(c.Path)), []ui.Answer{
				{Word: "yes", Help: "open it with its conflict markers"}, {Word: "no", Help: "resolve nothing here"},
			}, "no")
		if askErr != nil {
			return nil, askErr
		}
		if word == "no" {
			return nil, &toolError{err}
		}
	}
	return r.editText(ctx, path.Base(c.Path), marked)
}

// editText opens a text in the person's editor under the name of its file, by which editors know languages.
func (r *resolver) editText(ctx context.Context, name string, data []byte) ([]byte, error) {
	folder, err := os.MkdirTemp("", "delegate-resolve-")
	if err != nil {
		return nil, fmt.Errorf("edit %q: %w", name, err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, fmt.Errorf("edit %q: %w", name, err)
	}
	if err := r.edit(ctx, r.who.P.Repo, file); err != nil {
		if isA[*run.ExitError](err) {
			err = &toolError{err}
		}
		return nil, err
	}
	made, err := os.ReadFile(file)
	if err == nil && len(bytes.TrimSpace(made)) == 0 {
		err = errors.New("the editor left no text")
	}
	if err != nil {
		return nil, &toolError{err}
	}
	return made, nil
}

// toolError says that an editor or a merge tool gave no result.
type toolError struct{ err error }

func (e *toolError) Error() string { return e.err.Error() }

func (e *toolError) Unwrap() error { return e.err }
