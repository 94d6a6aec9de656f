package main

import (
	"context"
	"errors"

	"delegate/internal/land/approval"
	"delegate/internal/land/candidate"
	"delegate/internal/project"
)

// sign has the person's key sign what was answered with yes; "" where no signature is asked for. Without one nothing
// lands.
func (a *app) sign(ctx context.Context, p *project.Project, c candidate.Candidate) (string, error) {
	needed, err := p.ApprovalByKey(ctx, &c.Session)
	if err != nil || !needed {
		return "", err
	}
	keys, err := approval.Find(ctx, p.Home, p.Main)
	if err != nil {
		return "", err
	}
	statement := c.Statement(p.Now())
	a.printf("Signing: %s\n", text(statement.String()))
	signed, err := keys.Sign(ctx, statement, a.err)
	if err != nil {
		return "", err
	}
	_, who, err := keys.Check(ctx, signed)
	if err == nil {
		a.printf("Signed as %s.\n", text(who))
	}
	return signed, err
}

// keyHint is what to type where a signature cannot be made or checked.
func keyHint(err error) string {
	switch {
	case errors.Is(err, approval.ErrNoProgram):
		return "install OpenSSH, then type the same again; nothing was changed"
	case errors.Is(err, approval.ErrNoKey):
		return "git config --global user.signingkey ~/.ssh/id_ed25519.pub, or the file of another key"
	case errors.Is(err, approval.ErrNoSigners):
		return "git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers, a file with lines such as: " +
			"ada@example.com ssh-ed25519 AAAA…"
	}
	return ""
}
