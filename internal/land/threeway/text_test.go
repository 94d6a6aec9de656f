package threeway

import "testing"

func TestLeftover(t *testing.T) {
	for name, c := range map[string]struct {
		text, side string
		line       int
	}{
		"none":              {"a\n<<<<<< b\n====== \n", "", 0},
		"begin":             {"a\n<<<<<<< AGT-001\nb\n", "", 2},
		"base":              {"||||||| base\n", "", 1},
		"middle":            {"a\nb\n=======\nc\n", "", 3},
		"end":               {"a\n>>>>>>> target", "", 2},
		"CRLF":              {"a\r\n=======\r\n", "", 2},
		"longer":            {"<<<<<<<<< ours\n", "", 1},
		"heading":           {"Title\n==========\n", "", 0},
		"heading of a side": {"Title\n=======\n", "Other\n=======\n", 0},
		"shift operators":   {"x >>>>>>> y\n>>>>>>>y\n", "", 0},
	} {
		if line, found := leftover([]byte(c.text), usualMarker, [][]byte{[]byte(c.side)}); line != c.line ||
			found != (c.line > 0) {
			t.Errorf("%s: line %d, %t, want %d", name, line, found, c.line)
		}
	}
}
