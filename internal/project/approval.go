package project

import (
	"context"

	"delegate/internal/project/config"
	"delegate/registry"
)

// byKeySetting is the key of a person's own git configuration that asks for a signature in every repository, or in
// those to which the configuration says it belongs.
const byKeySetting = "delegate.approval"

// ApprovalByKey says whether a yes has to be signed: the configuration of the repository says so, or the person's own,
// or what the session recorded when it began; nil for none.
func (p *Project) ApprovalByKey(ctx context.Context, s *registry.Session) (bool, error) {
	if p.Config.Approval == config.ApprovalByKey || s != nil && s.Approval == config.ApprovalByKey {
		return true, nil
	}
	said, err := p.Repo.PersonsSetting(ctx, p.Home, byKeySetting)
	return said == config.ApprovalByKey, err
}
