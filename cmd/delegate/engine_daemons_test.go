//go:build !windows

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"delegate/internal/engine"
)

// daemon ends or starts what Slurm is made of: "kill controller", "start controller", and of the node on which an
// agent's turn is "kill node AGENT", "start node AGENT", and "lose node AGENT" with all that runs in its job.
func daemon(ctx context.Context, e engine.Engine, args []string) error {
	dir := os.Getenv(slurmVariable)
	name, start := "slurmctld", exec.Command("slurmctld")
	var j testJob
	if args[1] == "node" {
		var err error
		if j, err = jobOf(args[2]); err != nil {
			return err
		}
		noted := filepath.Join(os.Getenv("WORK"), "node-"+args[2])
		node, err := os.ReadFile(noted)
		if err != nil {
			said, err := e.Look(ctx, j.ID)
			if node = []byte(said.Node); err != nil || said.Node == "" {
				return fmt.Errorf("the node of %s: %+v, %w", args[2], said, err)
			}
			if err := os.WriteFile(noted, node, 0o644); err != nil {
				return err
			}
		}
		name, start = "slurmd-"+string(node), exec.Command("slurmd", "-N", string(node))
	}
	if args[0] == "start" {
		start.Env = []string{"PATH=" + os.Getenv("PATH"), "SLURM_CONF=" + os.Getenv("SLURM_CONF")}
		return passed(start)
	}
	text, err := os.ReadFile(filepath.Join(dir, name+".pid"))
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if args[0] != "lose" || err != nil {
		return err
	}
	for _, pid := range inSlurmJob(j.ID) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // one ends with another
	}
	return nil
}

// inSlurmJob are the processes of a job and those that keep them.
func inSlurmJob(id string) (all []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if bytes.HasPrefix(line, []byte("slurmstepd: ["+id+".")) ||
			slices.Contains(strings.Split(string(environ), "\x00"), "SLURM_JOB_ID="+id) {
			all = append(all, pid)
		}
	}
	return all
}

// queue submits so many jobs, eight at a time. Each notes once that it ran.
func queue(ctx context.Context, e engine.Engine, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	ran := filepath.Join(os.Getenv("WORK"), "ran")
	name := fmt.Sprintf("delegate-test-queue-%d", time.Now().Unix())
	failed := make([]error, n)
	ids := make([]string, n)
	turns := make(chan struct{}, 8)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			ids[i], failed[i] = e.Submit(ctx, fmt.Sprintf("%s-%d", name, i),
				[]string{"sh", "-c", fmt.Sprintf("echo %d >> %s", i, ran)})
		})
	}
	all.Wait()
	slices.Sort(ids)
	if given := len(slices.Compact(ids)); given != n {
		failed = append(failed, fmt.Errorf("%d jobs have %d ids", n, given))
	}
	return errors.Join(failed...)
}

// applyPolicy gives the API a network policy, and prints the pod of a turn if that is one that the policy is for.
func applyPolicy(agent string) error {
	j, script, err := jobOnCluster(agent)
	if err != nil {
		return err
	}
	dir := os.Getenv(kubernetesVariable)
	c := exec.Command(script, dir, "ask", "/apis/networking.k8s.io/v1/namespaces/agents/networkpolicies",
		"--data-binary", "@"+filepath.Join(os.Getenv("WORK"), "written-networkpolicy.yaml"))
	c.Env = append(os.Environ(), "TYPE=application/yaml")
	if err := passed(c); err != nil {
		return err
	}
	return passed(exec.Command(script, dir, "ask", "/api/v1/namespaces/agents/pods?labelSelector="+
		"app.kubernetes.io/managed-by=delegate,job-name="+j.ID))
}
