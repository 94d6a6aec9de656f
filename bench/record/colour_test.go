//go:build bench && linux

package record

import (
	"fmt"

	"github.com/hinshun/vt10x"
)

// The colours of the terminal itself: a dark ground that stands on light and on dark pages, with a
// border that is seen on both.
const (
	ground = "#161b22"
	ink    = "#d7dde5"
	border = "#444c56"
)

// palette are the sixteen colours that have names, dark ones first; each can be read on the ground.
func palette() [16]string {
	return [16]string{
		"#484f58", "#ff7b72", "#56c068", "#d9a93a", "#6cb0ff", "#c297f5", "#4fc4cf", "#b9c2cc",
		"#7d8794", "#ffa198", "#7ee08c", "#ecc45e", "#9ac8ff", "#d8b9ff", "#7fdde6", "#f3f6f9",
	}
}

// colour is a colour of the emulator as CSS: one of the sixteen, of the cube or the greys above them, or any.
// A true colour without red and green cannot be told from the numbers below 256; the emulator keeps both alike.
func colour(c vt10x.Color) string {
	switch {
	case c == vt10x.DefaultFG:
		return ink
	case c == vt10x.DefaultBG:
		return ground
	case c < 16:
		return palette()[c]
	case c < 232:
		level := func(n vt10x.Color) vt10x.Color {
			if n == 0 {
				return 0
			}
			return 55 + 40*n
		}
		c -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(c/36), level(c/6%6), level(c%6))
	case c < 256:
		grey := 8 + 10*(c-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	return fmt.Sprintf("#%06x", uint32(c))
}
