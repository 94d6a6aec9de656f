package terminal

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"delegate/internal/lazyregexp"
)

// modes are the modes of a terminal that a program switched and has not switched back.
type modes struct {
	changed map[int]bool // by their numbers, with what they are now
	rest    []byte       // a sequence whose end has not come
}

// usual are the modes that a program which was cut off must not leave behind, as they are where nobody changed them:
// keys of the cursor, wrapping, cursor, mouse, focus, the second screen, and marks around what is pasted.
func usual() map[int]bool {
	return map[int]bool{1: false, 7: true, 25: true, 47: false, 1000: false, 1002: false, 1003: false, 1004: false,
		1005: false, 1006: false, 1015: false, 1047: false, 1049: false, 2004: false}
}

var (
	// privateMode matches a request to switch modes on (h) or off (l).
	privateMode = lazyregexp.New(`\x1b\[\?([0-9;]+)([hl])`)
	// cutOff matches the beginning of one at the end of a piece.
	cutOff = lazyregexp.New(`\x1b(\[(\?[0-9;]{0,40})?)?$`)
)

// see takes in the next piece of what a program shows, which may end anywhere.
func (m *modes) see(piece []byte) {
	if len(m.rest) == 0 && bytes.IndexByte(piece, 0x1b) < 0 {
		return
	}
	all := append(m.rest, piece...)
	m.rest = nil
	for _, found := range privateMode.FindAllSubmatch(all, -1) {
		for number := range bytes.SplitSeq(found[1], []byte{';'}) {
			m.note(string(number), found[2][0] == 'h')
		}
	}
	m.rest = slices.Clone(cutOff.Find(all))
}

func (m *modes) note(number string, on bool) {
	n, err := strconv.Atoi(number)
	if before, known := usual()[n]; err == nil && known {
		if m.changed == nil {
			m.changed = map[int]bool{}
		}
		if m.changed[n] = on; on == before {
			delete(m.changed, n)
		}
	}
}

// undo is what switches everything back; "" where nothing is left to.
func (m *modes) undo() string {
	text := ""
	for _, n := range slices.Sorted(maps.Keys(m.changed)) {
		end := "h"
		if m.changed[n] {
			end = "l"
		}
		text += "\x1b[?" + strconv.Itoa(n) + end
	}
	if text != "" {
		text += "\x1b[0m\r\n"
	}
	return text
}
