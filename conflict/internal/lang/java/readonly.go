package java

import (
	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// readOnly is how Java gives collections that cannot be changed.
func readOnly() lang.ReadOnlyResults {
	return lang.ReadOnlyResults{
		Given: lazyregexp.New(`\breturn\s+(?:[a-z]\w*\.)*(?:(?:List|Set|Map)\.(?:copyOf|of)\(|` +
			`Collections\.(?:unmodifiable|empty|singleton)\w*\(|Immutable(?:List|Set|Map)\.)`),
		Changes: `add|addAll|addFirst|addLast|clear|compute|computeIfAbsent|computeIfPresent|merge|put|putAll|` +
			`putIfAbsent|remove|removeAll|removeIf|replaceAll|retainAll|set|sort`,
		Writes: `\bCollections\.(?:sort|reverse|shuffle|swap|addAll)\(\s*NAME\b`,
	}
}
