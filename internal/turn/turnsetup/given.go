package turnsetup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"delegate/internal/git/objects"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/registry"
	"delegate/scope"
)

// Instructions reads what the model of a program is to know: of the project from a commit, never from a worktree
// that an agent writes, with the folders that the areas concern, and of the person from their home.
func Instructions(ctx context.Context, p *project.Project, profile agent.Profile, base string,
	allowed []scope.Area) (agent.Instructions, error) {
	var from agent.Origin
	if home, err := os.UserHomeDir(); err == nil {
		from.Person = profile.PersonFiles(home)
	}
	reader := objects.New(p.Repo)
	defer reader.Close()
	from.Project = reader.Tree(ctx, base)
	return profile.Gather(from, allowed)
}

// instructions are those of an agent, from the commit that it began with.
func instructions(ctx context.Context, p *project.Project, profile agent.Profile,
	a registry.Agent) (agent.Instructions, error) {
	limits, err := p.Scope(a)
	if err != nil {
		return agent.Instructions{}, err
	}
	return Instructions(ctx, p, profile, a.Base, limits.AllowedAreas())
}

// givenFile says what a turn's program was given, in its folder.
const givenFile = "given.json"

func keepGiven(turn keeper.Turn, given agent.Given) error {
	data, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("keep what the program is given: %w", err)
	}
	return atomicfile.WriteUnsynced(filepath.Join(turn.Dir, givenFile), data, 0o600)
}

// Given is what the program of an agent's last turn was given; of one that has had none, what it would be, as far
// as that can be told.
func Given(ctx context.Context, p *project.Project, session string, a registry.Agent) agent.Given {
	data, err := os.ReadFile(filepath.Join(p.TurnDir(session, a.ID, a.Turns), givenFile))
	var given agent.Given
	if err == nil && json.Unmarshal(data, &given) == nil {
		return given.Whole()
	}
	given = agent.Given{}
	if profile, err := agent.Find(p.Config, a.Profile); err == nil && a.Base != "" {
		in, _ := instructions(ctx, p, profile, a) // what is wrong with it, its turn says
		given = in.Given
	}
	return given.Whole()
}
