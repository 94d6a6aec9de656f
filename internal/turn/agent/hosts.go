package agent

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"delegate/internal/fence/proxy"
)

// Hosts are those that the profile's program has to reach: its provider's, also of the cloud that the person's
// environment chooses, and each that a variable which it is given names as the address of one. None: nobody here
// knows them.
func (p Profile) Hosts() []string {
	all := slices.Clone(p.Program.Hosts)
	for _, c := range p.used() {
		region := c.Region
		for _, name := range slices.Backward(c.Regions) {
			region = cmp.Or(os.Getenv(name), region)
		}
		for _, host := range c.Hosts {
			all = append(all, strings.ReplaceAll(host, "{region}", region))
		}
	}
	values := map[string]string{}
	handOn(values, p.handed())
	maps.Copy(values, p.Env)
	for name, value := range values {
		switch {
		case strings.HasSuffix(name, "_BASE_URL"):
			if at, err := url.Parse(value); err == nil && at.Host != "" {
				all = append(all, at.Host)
			}
		case strings.HasSuffix(name, "GH_HOST") && value != "":
			all = append(all, value, "*."+value)
		}
	}
	all = slices.DeleteFunc(all, func(host string) bool {
		_, err := proxy.ParseRules([]string{host})
		return err != nil // a variable that names no host
	})
	slices.Sort(all)
	return slices.Compact(all)
}
