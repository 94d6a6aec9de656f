//go:build !windows

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"delegate/internal/engine"
)

// leave submits a job in the name of a turn, of which nobody knows.
func leave(ctx context.Context, e engine.Engine, agent string) error {
	j, err := jobOf(agent)
	if err != nil {
		return err
	}
	id, err := e.Submit(ctx, filepath.Base(j.Folder)+"x", []string{"sleep", "600"})
	return errors.Join(err, os.WriteFile(filled(), []byte(id), 0o644))
}

// preempt submits a job that takes the place of another one.
func preempt(ctx context.Context, e engine.Engine, agent string) error {
	j, err := jobOf(agent)
	if err != nil {
		return err
	}
	said, err := e.Look(ctx, j.ID)
	if err != nil {
		return err
	}
	more := "--partition=urgent --ntasks-per-node=8 --nodelist=" + said.Node
	if os.Getenv(slurmVariable) == "" {
		more = filepath.Join(os.Getenv("WORK"), "preempts.yaml")
		text, err := os.ReadFile(filepath.Join(os.Getenv("WORK"), "urgent.yaml"))
		if err == nil {
			err = os.WriteFile(more, bytes.ReplaceAll(text, []byte("$NODE"), []byte(said.Node)), 0o644)
		}
		if err != nil {
			return err
		}
	}
	if e, err = testEngine(more); err != nil {
		return err
	}
	id, err := e.Submit(ctx, fmt.Sprintf("delegate-test-urgent-%d", time.Now().Unix()), []string{"sleep", "600"})
	return errors.Join(err, os.WriteFile(filled(), []byte(id), 0o644))
}

// ofCluster is the script that made the cluster.
func ofCluster() (string, error) {
	return filepath.Abs(filepath.Join(os.Getenv("AGENTS"), "..", "..", "..", "..", ".ci", "kubernetes"))
}

// jobOnCluster is the job of an agent's turn, and the script that made the cluster that it is on.
func jobOnCluster(agent string) (j testJob, script string, err error) {
	if j, err = jobOf(agent); err == nil {
		script, err = ofCluster()
	}
	return j, script, err
}

// evict has the engine put the pod of a turn out, as when its node is emptied.
func evict(agent string) error {
	j, script, err := jobOnCluster(agent)
	if err != nil {
		return err
	}
	const pods = "/api/v1/namespaces/agents/pods"
	ask := []string{os.Getenv(kubernetesVariable), "ask"}
	data, err := exec.Command(script, append(ask, pods+"?labelSelector=job-name="+j.ID)...).Output()
	var all struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil || len(all.Items) != 1 {
		return fmt.Errorf("pods of %q: %+v, %w", j.ID, all, err)
	}
	name := all.Items[0].Metadata.Name
	eviction := fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q}}`, name)
	return passed(exec.Command(script, append(ask, pods+"/"+name+"/eviction", "-d", eviction)...))
}
