package record

// without removes from lines each of those given, as often as it is given.
func without(lines, gone []string) []string {
	count := map[string]int{}
	for _, line := range gone {
		count[line]++
	}
	var out []string
	for _, line := range lines {
		if count[line] > 0 {
			count[line]--
			continue
		}
		out = append(out, line)
	}
	return out
}
