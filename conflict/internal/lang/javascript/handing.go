package javascript

import (
	"regexp"
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// handing is how TypeScript hands functions over.
func handing() lang.Handing { return lang.Handing{Params: functionParams, Handed: handed} }

var (
	// beginsFunction is what stands before the list of a function that is written in place.
	beginsFunction = lazyregexp.New(`^(?:async\s+)?(?:function\s*\*?\s*\w*\s*)?(?:<[^()]*>)?\(`)
	bareParameter  = lazyregexp.New(`^(?:async\s+)?(\w+)\s*=>`)
	argumentName   = lazyregexp.New(`^(?:this\.)?[A-Za-z_$][\w$]*$`)
)

// functionParams are the types of the parameters in a type of functions: (a: A, b?: B) => C.
func functionParams(typ string) []string {
	if !strings.HasPrefix(typ, "(") {
		return nil
	}
	inside, rest, closed := lang.Closed(typ)
	if !closed || !strings.HasPrefix(strings.TrimSpace(rest), "=>") {
		return nil
	}
	return parameterTypes(inside)
}

// parameterTypes are the types in a list of parameters, "" for those that say none.
func parameterTypes(list string) []string {
	types := []string{}
	for _, one := range lang.Comma(list) {
		name, typ, _ := strings.Cut(one, ":")
		if strings.HasPrefix(name, "{") || strings.HasPrefix(name, "[") {
			if _, rest, closed := lang.Closed(one); closed {
				_, typ, _ = strings.Cut(rest, ":")
			}
		}
		if one == "" || strings.TrimSpace(name) == "this" {
			continue
		}
		if strings.HasPrefix(one, "...") {
			return types
		}
		typ, _, _ = strings.Cut(typ, " = ")
		types = append(types, strings.Join(strings.Fields(typ), " "))
	}
	return types
}

// handed are the parameters of the functions among arguments.
func handed(arguments []string, text string) (all [][]string) {
	for _, argument := range arguments {
		if list, is := parameterList(argument); is {
			all = append(all, parameterTypes(list))
			continue
		}
		if !argumentName.MatchString(argument) {
			continue
		}
		if list, is := definedAs(strings.TrimPrefix(argument, "this."), text); is {
			all = append(all, parameterTypes(list))
		}
	}
	return all
}

// parameterList is the list of a function that is written in place.
func parameterList(written string) (list string, is bool) {
	if match := bareParameter.FindStringSubmatch(written); match != nil {
		return match[1], true
	}
	at := beginsFunction.FindStringIndex(written)
	if at == nil {
		return "", false
	}
	list, rest, closed := lang.Closed(written[at[1]-1:])
	arrow := strings.Contains(rest, "=>") || strings.Contains(written[:at[1]], "function")
	return list, closed && arrow
}

// definedAs is the list of the one function that a text defines by a name.
func definedAs(name, text string) (list string, is bool) {
	quoted := regexp.QuoteMeta(name)
	pattern := regexp.MustCompile(`\b(?:const|let|var)\s+` + quoted + `\s*=\s*|\b(?:async\s+)?function\s*\*?\s+` + quoted +
		`\s*(?:<[^()]*>)?\(`)
	all := pattern.FindAllStringIndex(text, 2)
	if len(all) != 1 {
		return "", false
	}
	begin, end := all[0][0], all[0][1]
	if text[end-1] == '(' && strings.Contains(text[begin:end], "function") {
		list, _, is = lang.Closed(text[end-1:])
		return list, is
	}
	return parameterList(text[end:])
}
