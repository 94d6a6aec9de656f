package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"delegate/internal/git"
	"delegate/internal/merge"
	"delegate/internal/run"
	"delegate/internal/ui"

	"github.com/spf13/cobra"
)

// mergeText opens a text with conflict markers in the person's merge tool, or in their editor where
// none is configured or it gave nothing.
// A *toolError says that the program gave no result.
func (r *resolver) mergeText(ctx context.Context, c merge.Clash, marked []byte) ([]byte, error) {
	repo := r.who.P.Repo
	tool, err := repo.Tool(ctx)
	if err != nil {
		return nil, err
	}
	if tool != "" {
		sides := git.FileMerge{Base: c.Side(merge.BaseSide), Ours: c.Side(merge.OurSide),
			Theirs: c.Side(merge.TheirSide)}
		made, err := repo.RunTool(ctx, git.ToolMerge{Tool: tool, Name: path.Base(c.Path), Marked: marked,
			FileMerge: sides})
		if !errors.Is(err, git.ErrToolLeft) {
			return made, err
		}
		word, askErr := r.term.Choose(ctx,
			fmt.Sprintf("%s gave no result. Edit %s in your editor?", text(tool), text(c.Path)), []ui.Answer{
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
	if err := edit(ctx, r.who.P.Repo, file); err != nil {
		var exit *run.ExitError
		if errors.As(err, &exit) {
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

type resolutionsView struct {
	Resolutions []merge.Resolution `json:"resolutions"`
}

// syncResolutions is `delegate sync resolutions`: the answers to clashes that are given again without a question.
func (a *app) syncResolutions() *cobra.Command {
	forget := ""
	c := a.jsonFlag(command("resolutions [--forget KEY]",
		"the resolved conflicts that are remembered, and forgetting one", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			if forget != "" {
				return a.forgetResolution(cmd.Context(), forget)
			}
			p, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			all, err := merge.NewResolutions(p.Repo).List(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(resolutionsView{all})
			}
			if len(all) == 0 {
				a.printf("No resolved conflict is remembered.\n")
				return nil
			}
			var rows [][]string
			for _, r := range all {
				rows = append(rows, []string{r.Key[:shownKey], r.When.Format(time.DateOnly), text(r.Who),
					string(r.Method) + " " + text(r.Side), text(r.Path), text(r.Why)})
			}
			ui.Table(a.out, []string{"Key", "When", "Who", "How", "File", "Why"}, rows, a.term.Width())
			return nil
		}))
	c.Flags().StringVar(&forget, "forget", "",
		"key, or the beginning of one, of a resolution that shall not be used again")
	c.Long = "Lists the conflicts that you resolved in landings (CHOOSE_ONE, MANUAL_MERGE). When the same conflict " +
		"comes again it is resolved in\n" +
		"the same way and the landing question says so. --forget takes one back: the conflict is asked about again."
	return c
}

// shownKey is how much of a key is shown; less is enough to name one, if it names no other.
const shownKey = 12

func (a *app) forgetResolution(ctx context.Context, key string) error {
	p, _, err := a.control(ctx)
	if err != nil {
		return err
	}
	gone, err := merge.NewResolutions(p.Repo).Forget(ctx, key)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(resolutionsView{[]merge.Resolution{gone}})
	}
	a.printf("Forgotten: %s\n", text(gone.String()))
	return nil
}
