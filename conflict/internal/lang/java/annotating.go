package java

import (
	"regexp"
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// annotating is how Java annotates.
func annotating() lang.Annotating {
	return lang.Annotating{Names: annotates, Demands: demands, Alone: "value"}
}

func annotates(line, name string) bool {
	return regexp.MustCompile(`@(?:\w+\.)*` + regexp.QuoteMeta(name) + `\b`).MatchString(line)
}

var (
	isAnnotation = lazyregexp.New(`@interface\s`)
	hasDefault   = lazyregexp.New(`\)\s*default\s`)
)

func demands(annotation, element []string) bool {
	return isAnnotation.MatchString(strings.Join(annotation, "\n")) &&
		!hasDefault.MatchString(strings.Join(element, "\n"))
}
