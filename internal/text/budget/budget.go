// Package budget is what agents use up, and how much of it they may: US dollars and tokens.
package budget

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Amount is a sum of US dollars and a number of tokens. As a limit, a part that is 0 has none.
type Amount struct {
	Cost   float64
	Tokens int
}

// Form is how people write an amount.
const Form = "write 2 US$, 500k tokens, 5M tokens, or both with a comma between them"

// errForm says that a text is no amount.
var errForm = errors.New(Form)

// part is one sum; a bare number is one of US dollars.
var part = lazyregexp.New(`(?i)^(?:(?:US ?)?(\$) ?)?(\d{1,12}(?:\.\d{1,6})?) ?(k|m)? ?(tokens?|US ?\$|\$|USD)?$`)

// Parse reads an amount such as "2 US$" or "1.50, 500k tokens". Each part may be there once.
func Parse(text string) (Amount, error) {
	var sum Amount
	seen := map[bool]bool{}
	for one := range strings.SplitSeq(text, ",") {
		m := part.FindStringSubmatch(strings.TrimSpace(one))
		if m == nil {
			return Amount{}, errForm
		}
		ofTokens := strings.HasPrefix(strings.ToLower(m[4]), "token")
		value, err := strconv.ParseFloat(m[2], 64)
		if err != nil || seen[ofTokens] || ofTokens && m[1] != "" || !ofTokens && m[3] != "" {
			return Amount{}, errForm
		}
		seen[ofTokens] = true
		if !ofTokens {
			sum.Cost = value
			continue
		}
		value *= map[string]float64{"": 1, "k": 1e3, "m": 1e6}[strings.ToLower(m[3])]
		if value != math.Trunc(value) || value > 1e12 {
			return Amount{}, errForm
		}
		sum.Tokens = int(value)
	}
	return sum, nil
}

// String is the amount in a form that Parse reads, "0" for nothing.
func (a Amount) String() string {
	var parts []string
	if a.Cost > 0 {
		parts = append(parts, dollars(a.Cost))
	}
	if a.Tokens > 0 {
		parts = append(parts, tokens(a.Tokens)+" tokens")
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, ", ")
}

// dollars is a sum in words, with more than two places where it has them.
func dollars(sum float64) string {
	text := strconv.FormatFloat(sum, 'f', -1, 64)
	if at := strings.IndexByte(text, '.'); at < 0 || len(text)-at <= 3 {
		text = strconv.FormatFloat(sum, 'f', 2, 64)
	}
	return text + " US$"
}

// tokens is a number of tokens, exactly, with a unit where it has no other digits.
func tokens(n int) string {
	switch {
	case n >= 1e6 && n%1e5 == 0:
		return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + "M"
	case n >= 1e3 && n%1e3 == 0:
		return strconv.Itoa(n/1e3) + "k"
	}
	return strconv.Itoa(n)
}

// Short is about how many tokens, in few letters.
func Short(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%dk", n/1000)
	case n >= 1e3:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return strconv.Itoa(n)
}

// Off reports whether the amount, as a limit, has no part.
func (a Amount) Off() bool { return a == Amount{} }

// Or has the parts of another amount where it has none of its own.
func (a Amount) Or(other Amount) Amount {
	if a.Cost == 0 {
		a.Cost = other.Cost
	}
	if a.Tokens == 0 {
		a.Tokens = other.Tokens
	}
	return a
}

// Plus is the sum of both.
func (a Amount) Plus(more Amount) Amount {
	return Amount{a.Cost + more.Cost, a.Tokens + more.Tokens}
}

// Raise adds to the parts that a limit has. Where it has none, there is nothing to raise.
func (a Amount) Raise(by Amount) Amount {
	if a.Cost > 0 {
		a.Cost += by.Cost
	}
	if a.Tokens > 0 {
		a.Tokens += by.Tokens
	}
	return a
}

// Used is how much of a limit is used up, 1 for all: of its dollars or its tokens, whichever is more.
type Used struct {
	Share  float64
	Tokens bool   // it is of the tokens
	Words  string // such as "1.05 of 1.00 US$"
}

// Of is how much of the limit was used up by this amount; zero for a limit that is off.
func (a Amount) Of(limit Amount) (u Used) {
	if limit.Tokens > 0 {
		u = Used{float64(a.Tokens) / float64(limit.Tokens), true,
			fmt.Sprintf("%d of %d tokens", a.Tokens, limit.Tokens)}
	}
	if limit.Cost > 0 && (limit.Tokens == 0 || a.Cost/limit.Cost > u.Share) {
		u = Used{a.Cost / limit.Cost, false, fmt.Sprintf("%.2f of %.2f US$", a.Cost, limit.Cost)}
	}
	return u
}
