package scope

import "fmt"

const (
	// maxExpansions bounds the alternatives of one pattern.
	maxExpansions = 1024
	// maxTokens bounds what they hold together.
	maxTokens = 1 << 16
)

// node is a token, or braces if it has alternatives.
type node struct {
	token        token
	alternatives [][]node
}

// nest turns the tokens up to the next "," or "}" of this level into nodes.
// The braces are known to balance.
func nest(tokens []token) (nodes []node, rest []token, reason string) {
	for len(tokens) > 0 {
		t := tokens[0]
		if t.kind == tokenComma || t.kind == tokenClose {
			return nodes, tokens, ""
		}
		tokens = tokens[1:]
		if t.kind != tokenOpen {
			nodes = append(nodes, node{token: t})
			continue
		}
		var n node
		if n, tokens, reason = nestBraces(tokens); reason != "" {
			return nil, nil, reason
		}
		nodes = append(nodes, n)
	}
	return nodes, nil, ""
}

func nestBraces(tokens []token) (n node, rest []token, reason string) {
	for {
		var alternative []node
		if alternative, tokens, reason = nest(tokens); reason != "" {
			return node{}, nil, reason
		}
		n.alternatives = append(n.alternatives, alternative)
		end := tokens[0].kind == tokenClose
		tokens = tokens[1:]
		if !end {
			continue
		}
		if len(n.alternatives) == 1 {
			return node{}, nil, `has braces around a single alternative; write {a,b} for a choice, "\{" for the character`
		}
		return n, tokens, ""
	}
}

// expand multiplies the braces out, the first alternatives first.
func expand(nodes []node) ([][]token, string) {
	out := [][]token{nil}
	size := 0
	for _, n := range nodes {
		if n.alternatives == nil {
			for i := range out {
				out[i] = append(out[i], n.token)
			}
			size += len(out)
		} else {
			tails, reason := expandAlternatives(n.alternatives)
			if reason != "" {
				return nil, reason
			}
			if len(out)*len(tails) > maxExpansions {
				return nil, tooMany()
			}
			out, size = product(out, tails)
		}
		if size > maxTokens {
			return nil, tooMany()
		}
	}
	return out, ""
}

func expandAlternatives(alternatives [][]node) ([][]token, string) {
	var out [][]token
	for _, a := range alternatives {
		more, reason := expand(a)
		if reason != "" {
			return nil, reason
		}
		if out = append(out, more...); len(out) > maxExpansions {
			return nil, tooMany()
		}
	}
	return out, ""
}

// product returns every head with every tail, none sharing memory with another, and their total length.
func product(heads, tails [][]token) (out [][]token, size int) {
	for _, h := range heads {
		for _, t := range tails {
			both := make([]token, 0, len(h)+len(t))
			out = append(out, append(append(both, h...), t...))
			size += len(h) + len(t)
		}
	}
	return out, size
}

func tooMany() string {
	return fmt.Sprintf("has too many brace alternatives, the limit is %d", maxExpansions)
}
