package conflict

import (
	"path"
	"strings"

	"delegate/conflict/internal/lang"
)

// unaliased is a module by its path from the importing file, where a folder around that gives the path another name.
func (s *changes) unaliased(l *lang.Language, module, from string) string {
	if strings.HasPrefix(module, ".") {
		return module
	}
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		for alias, target := range s.aliasesAt(l, dir) {
			if rest, ok := strings.CutPrefix(module, alias); ok && (rest == "" || strings.HasSuffix(alias, "/") ||
				strings.HasSuffix(alias, "::")) {
				below := strings.TrimPrefix(from, strings.TrimPrefix(dir+"/", "./"))
				return "./" + strings.Repeat("../", strings.Count(below, "/")) + path.Join(target, rest)
			}
		}
		if dir == "." {
			return module
		}
	}
}

// aliasesAt are those that a folder of the side's head gives. They are read once.
func (s *changes) aliasesAt(l *lang.Language, dir string) map[string]string {
	if known, asked := s.aliases[dir]; asked {
		return known
	}
	var found map[string]string
	for _, name := range l.AliasFiles {
		// One that is not there, or cannot be read, gives none.
		if data, ok, err := readUpTo(s.set.Name, s.set.HeadFS, path.Join(dir, name), largestPlain); err == nil && ok {
			if found = l.Aliases(data); len(found) > 0 {
				break
			}
		}
	}
	s.aliases[dir] = found
	return found
}
