package project

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Ports are what the servers of one agent listen on: Count ports, from First on. The zero Ports are none.
type Ports struct {
	First int `json:"first"`
	Count int `json:"count"`
}

// claim is one line of the table that all repositories of this user share, oldest first.
type claim struct {
	Ports
	Owner string `json:"owner"` // private folder of the agent
}

// Systems take the ports from here on for outgoing connections, where a server can find its port taken at any moment.
const (
	outgoingPorts = 32768
	allPorts      = 65536
)

// Ports finds the ports of an agent before its first turn, and answers with the same ones for all
// its turns and attempts. No agent of another session or repository of this user has them, and
// nothing listened on them when they were found. The zero Ports where the configuration gives none.
func (p *Project) Ports(ctx context.Context, session string, a registry.Agent) (Ports, error) {
	if kept := p.KeptPorts(session, a.ID); kept.Count > 0 || p.Config.Ports.Each == 0 {
		return kept, nil
	}
	table, err := p.portTable()
	if err != nil {
		return Ports{}, err
	}
	lock, err := atomicfile.Lock(ctx, table+".lock")
	if err != nil {
		return Ports{}, fmt.Errorf("find ports for %s: %w", a.ID, err)
	}
	found, err := p.claimPorts(table, session, a)
	return found, errors.Join(err, lock.Unlock())
}

// KeptPorts are those that the agent was given, the zero Ports before that.
func (p *Project) KeptPorts(session, agent string) Ports {
	var kept Ports
	if atomicfile.ReadJSON(p.portsFile(session, agent), &kept) != nil {
		return Ports{}
	}
	return kept
}

func (p *Project) portsFile(session, agent string) string {
	return filepath.Join(p.AgentState(session, agent), "ports.json")
}

// portTable is the file of all claims: among the user's own files, or in the repository where these cannot be written.
func (p *Project) portTable() (string, error) {
	folder := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(folder) {
		folder, _ = os.UserCacheDir() // "" where there is none
	}
	if folder != "" {
		folder = filepath.Join(folder, "delegate")
		if os.MkdirAll(folder, 0o700) == nil {
			return filepath.Join(folder, "ports.json"), nil
		}
	}
	if err := os.MkdirAll(p.Private, 0o700); err != nil {
		return "", fmt.Errorf("make folder for ports: %w", err)
	}
	return filepath.Join(p.Private, "ports.json"), nil
}

// claimPorts takes free ports and notes them. The caller holds the table's lock.
func (p *Project) claimPorts(table, session string, a registry.Agent) (Ports, error) {
	claims, err := readClaims(table)
	if err != nil {
		return Ports{}, err
	}
	own := filepath.Join(p.Private, "sessions") + string(filepath.Separator)
	claims = slices.DeleteFunc(claims, func(c claim) bool {
		before := strings.HasPrefix(c.Owner, own) &&
			!strings.HasPrefix(c.Owner, p.AgentState(session, "")+string(filepath.Separator))
		return before || !exists(c.Owner) // a session of this repository that is over, or a repository that is gone
	})
	found, ok := p.freePorts(claims, a)
	for !ok && len(claims) > 0 { // more agents than ports: the oldest gives way
		claims = claims[1:]
		found, ok = p.freePorts(claims, a)
	}
	if !ok {
		return Ports{}, fmt.Errorf("find ports for %s: something listens on each range of %d from %d on; set "+
			"ports.first in the configuration", a.ID, p.Config.Ports.Each, p.Config.Ports.First)
	}
	if err := note(p.portsFile(session, a.ID), found); err != nil {
		return Ports{}, err
	}
	return found, note(table, append(claims, claim{found, p.AgentState(session, a.ID)}))
}

// note writes what need not outlive a crash: then nothing listens on the ports, and others are found.
func note(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("note ports: %w", err)
	}
	return atomicfile.WriteUnsynced(path, append(data, '\n'), 0o600)
}

// readClaims reads the table. One that nobody can read any more is begun anew: each agent's own note says what it has.
func readClaims(table string) ([]claim, error) {
	data, err := os.ReadFile(table)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read ports: %w", err)
	}
	var claims []claim
	if json.Unmarshal(data, &claims) != nil {
		return nil, nil
	}
	return claims, nil
}

// freePorts is a range that nobody claims and nothing listens on. Where the search begins depends
// on repository and agent, so that an agent mostly has the same ports in each session.
func (p *Project) freePorts(claims []claim, a registry.Agent) (Ports, bool) {
	first, each, end := p.Config.Ports.First, p.Config.Ports.Each, outgoingPorts
	if first+each > end {
		end = allPorts
	}
	slots := (end - first) / each
	if slots == 0 {
		return Ports{}, false
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(p.Private)) // never an error
	number, _ := strconv.Atoi(strings.TrimPrefix(a.ID, "AGT-"))
	begin := int(sum.Sum32()%uint32(slots)) + number
	for i := range slots {
		r := Ports{First: first + (begin+i)%slots*each, Count: each}
		taken := slices.ContainsFunc(claims, func(c claim) bool {
			return r.First < c.First+c.Count && c.First < r.First+r.Count
		})
		if !taken && r.quiet() {
			return r, true
		}
	}
	return Ports{}, false
}

// quiet says whether nothing listens on any of the ports.
func (r Ports) quiet() bool {
	for port := r.First; port < r.First+r.Count; port++ {
		listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return false
		}
		_ = listener.Close()
		// Some systems let one listen beside a server on all addresses, and ::1 may not exist, so both are asked.
		for _, host := range []string{"127.0.0.1", "::1"} {
			address := net.JoinHostPort(host, strconv.Itoa(port))
			if connection, err := net.DialTimeout("tcp", address, 100*time.Millisecond); err == nil {
				_ = connection.Close()
				return false
			}
		}
	}
	return true
}

// longestName is what the name of a host or of a database may have at most, in bytes.
const longestName = 63

// UniqueName is a name for what an agent makes outside of its worktree, such as containers and databases:
// small letters, digits and dashes, at most 63, the same in all turns and attempts of the agent.
func (p *Project) UniqueName(session, agent string) string {
	plain := func(s string) string {
		return strings.Trim(strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, strings.ToLower(s)), "-")
	}
	tail := "-" + plain(session+"-"+agent)
	repo := cmp.Or(plain(filepath.Base(p.Main)), "repository")
	return strings.TrimRight(repo[:min(len(repo), longestName-len(tail))], "-") + tail
}
