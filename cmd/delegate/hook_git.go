package main

import (
	"context"
	"fmt"
	"io"

	"delegate/internal/fence/guard"
)

// mostNamed is how many paths of one refused commit are named and reported; the rest is counted.
const mostNamed = 20

// plainAnswer is what was refused, under the words that the report has for it, with one line more
// for the agent to read.
type plainAnswer struct {
	layer, operation string
	refused          []guard.Verdict
	advice           string
}

// plainQuestions are those whose answer is an exit code with words on standard error: 0 goes on, any other refuses.
// Each takes the words that follow the policy file.
func plainQuestions() map[string]func(p guard.Policy, args []string) (plainAnswer, error) {
	return map[string]func(p guard.Policy, args []string) (plainAnswer, error){
		"git-pre-commit": askCommit,
		"git-pre-push":   askPush,
		"subagent":       askStart,
	}
}

// askCommit holds the commit that git is about to make against the scope. git calls it in the root of the checkout.
func askCommit(p guard.Policy, args []string) (plainAnswer, error) {
	if len(args) > 0 {
		return plainAnswer{}, fmt.Errorf("takes a policy file, not also %q", args)
	}
	// what interrupts git interrupts the programs that this starts
	refused, err := guard.DecideCommit(context.Background(), p, ".")
	return plainAnswer{"git", "commit", refused, guard.AskForMore}, err
}

// askPush refuses a push to REMOTE at URL, for git's hook before it and for its helper of the
// scheme that pushes are turned to.
func askPush(_ guard.Policy, args []string) (plainAnswer, error) {
	if len(args) != 2 {
		return plainAnswer{}, fmt.Errorf("takes a policy file, a remote and its URL, not %q", args)
	}
	return plainAnswer{layer: "git", operation: "push", refused: []guard.Verdict{guard.RefusePush(args[0], args[1])}},
		nil
}

// askStart refuses the start of another agent program, in whose place a script stands.
func askStart(_ guard.Policy, args []string) (plainAnswer, error) {
	if len(args) != 1 {
		return plainAnswer{}, fmt.Errorf("takes a policy file and a program, not %q", args)
	}
	return plainAnswer{layer: guard.StartLayer, operation: guard.StartOperation,
		refused: []guard.Verdict{guard.RefuseStart(args[0])}}, nil
}

// answerPlain asks one of the plain questions, says and reports what is refused, and returns the
// exit code. Any doubt refuses.
func answerPlain(ask func(guard.Policy, []string) (plainAnswer, error), args []string, complaints io.Writer) int {
	policy, answer, err := askPlain(ask, args)
	if err != nil {
		fmt.Fprintln(complaints, "delegate hook: refused, because it cannot be decided:", text(err.Error()))
		return exitFault
	}
	if len(answer.refused) == 0 {
		return exitDone
	}
	named := answer.refused[:min(len(answer.refused), mostNamed)]
	for _, v := range named {
		fmt.Fprintln(complaints, "delegate:", text(v.Reason))
	}
	if left := len(answer.refused) - len(named); left > 0 {
		fmt.Fprintf(complaints, "delegate: and %d more\n", left)
	}
	if answer.advice != "" {
		fmt.Fprintln(complaints, "delegate:", answer.advice)
	}
	reportRefused(policy, answer.layer, answer.operation, named...)
	return exitFault
}

func askPlain(ask func(guard.Policy, []string) (plainAnswer, error), args []string) (guard.Policy, plainAnswer, error) {
	policy, err := guard.Load(first(args))
	if err != nil {
		return policy, plainAnswer{}, err
	}
	answer, err := ask(policy, args[1:])
	return policy, answer, err
}

// first is the first word, "" if there is none.
func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
