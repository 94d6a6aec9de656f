package ui

import (
	"context"
	"fmt"
	"os"
)

// keys reads what the person types, for as long as the context lives.
// It keeps the error that ended it, because the prompt library mixes it up with escape sequences it does not know.
type keys struct {
	ctx  context.Context
	file *os.File
	err  error
}

func restored(err error) error {
	if err != nil {
		return fmt.Errorf("restore terminal mode: %w", err)
	}
	return nil
}
