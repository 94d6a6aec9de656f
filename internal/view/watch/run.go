package watch

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"delegate/internal/text/ui"
)

// Run shows the screen until the person leaves it. However it ends, the terminal is as it was before.
// Errors: ui.ErrInterrupted for Ctrl-C; why ctx ended; what the terminal says.
func Run(ctx context.Context, source Source, o Options) error {
	m := newModel(ctx, source, o)
	for {
		if err := m.display(); err != nil || m.nextCommand == nil {
			return err
		}
		o.Do(m.nextCommand)
		m.nextCommand = nil
		source.Refresh()
	}
}

// framesPerSecond is how often a changed screen is written at most: enough for keys, and cheap where nothing happens.
const framesPerSecond = 12

// display is the screen until the person leaves it, or wants a command.
func (m *model) display() error {
	ctx, o := m.ctx, m.o
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(m.out),
		tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	_, err := program.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrInterrupted):
		return ui.ErrInterrupted
	case err != nil:
		return fmt.Errorf("show the screen: %w", err)
	}
	return nil
}
