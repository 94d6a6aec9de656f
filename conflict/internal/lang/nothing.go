package lang

import "delegate/internal/text/lazyregexp"

// Nothing is how a language's functions give nothing, throw and catch. The zero value has no way of it.
type Nothing struct {
	// Given matches a line that gives nothing, Thrown one that throws, with what, and Caught one that catches.
	Given, Thrown, Caught *lazyregexp.Regexp
}

// NullOr is how languages with null give it, and with throw and catch.
func NullOr(catch string) Nothing {
	return Nothing{
		Given:  lazyregexp.New(`\breturn\s+(?:(?:null|undefined|nil|None)\b|[\w.$]+\.get\([\w.]+\);?$)`),
		Thrown: lazyregexp.New(`\b(?:throw|raise)\b\s*(?:new\s+)?([\w.\\]*)`),
		Caught: lazyregexp.New(catch),
	}
}
