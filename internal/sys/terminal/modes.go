package terminal

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"delegate/internal/text/lazyregexp"
)

// modes are the modes of a terminal that a program switched and has not switched back.
type modes struct {
	changed map[int]bool      // by their numbers, with what they are now
	others  map[string]string // modes without one, with what switches each back
	rest    []byte            // a sequence whose end has not come
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
	// otherMode matches a choice of letters for one of four places, a shift to the second place (SO) and back, keys of
	// the keypad that are sent as sequences, and letters that push others along.
	otherMode = lazyregexp.New(`\x1b([()*+])([!-~])|([\x0e\x0f])|\x1b([=>])|\x1b\[4([hl])`)
	// cutOff matches the beginning of one at the end of a piece.
	cutOff = lazyregexp.New(`\x1b([()*+]|\[(4|\?[0-9;]{0,40})?)?$`)
)

// see takes in the next piece of what a program shows, which may end anywhere.
func (m *modes) see(piece []byte) {
	if len(m.rest) == 0 && !bytes.ContainsAny(piece, "\x1b\x0e\x0f") {
		return
	}
	all := append(m.rest, piece...)
	m.rest = nil
	for _, found := range privateMode.FindAllSubmatch(all, -1) {
		for number := range bytes.SplitSeq(found[1], []byte{';'}) {
			m.note(string(number), found[2][0] == 'h')
		}
	}
	for _, found := range otherMode.FindAllSubmatch(all, -1) {
		place, letters, shift, keypad, pushing := string(found[1]), found[2], found[3], found[4], found[5]
		switch {
		case place != "":
			m.noteOther(place, string(letters) != "B", "\x1b"+place+"B")
		case len(shift) > 0:
			m.noteOther("shift", shift[0] == 0x0e, "\x0f")
		case len(keypad) > 0:
			m.noteOther("keypad", keypad[0] == '=', "\x1b>")
		default:
			m.noteOther("pushing", pushing[0] == 'h', "\x1b[4l")
		}
	}
	m.rest = slices.Clone(cutOff.Find(all))
}

func (m *modes) noteOther(name string, changed bool, back string) {
	if m.others == nil {
		m.others = map[string]string{}
	}
	if m.others[name] = back; !changed {
		delete(m.others, name)
	}
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
	for _, name := range slices.Sorted(maps.Keys(m.others)) {
		text += m.others[name]
	}
	if text != "" {
		text += "\x1b[0m\r\n"
	}
	return text
}
