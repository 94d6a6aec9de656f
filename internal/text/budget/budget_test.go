package budget

import "testing"

// TestParse holds the forms in which people write amounts, and that each is printed in one that is read again.
func TestParse(t *testing.T) {
	for text, want := range map[string]Amount{
		"2 US$": {2, 0}, "2US$": {2, 0}, "$2": {2, 0}, "$ 1.50": {1.5, 0}, "US$ 3": {3, 0}, "2.5 usd": {2.5, 0},
		"1.50": {1.5, 0}, "0": {}, "0.125$": {0.125, 0}, "5M tokens": {0, 5e6}, "500k tokens": {0, 5e5},
		"1.5M tokens": {0, 15e5}, "1234 tokens": {0, 1234}, "2 US$, 5M tokens": {2, 5e6},
		"500k tokens,1": {1, 5e5},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%q is printed as %q, which is %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "-1", "5M", "1k US$", "2 EUR", "$5M tokens", "1 US$, 2 US$", "1.5 tokens",
		"1e3", "two", "1,5 US$, 2", "2 US$,"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// TestOf holds that the part of a limit of which more is used up decides, and that a limit that is off holds nothing.
func TestOf(t *testing.T) {
	used := Amount{1.05, 900}
	for _, c := range []struct {
		limit Amount
		want  Used
	}{
		{Amount{}, Used{}},
		{Amount{Tokens: 1000}, Used{0.9, true, "900 of 1000 tokens"}},
		{Amount{2.1, 1000}, Used{0.9, true, "900 of 1000 tokens"}},
		{Amount{2.1, 9000}, Used{0.5, false, "1.05 of 2.10 US$"}},
	} {
		if got := used.Of(c.limit); got != c.want {
			t.Errorf("of %s: %+v", c.limit, got)
		}
	}
}
