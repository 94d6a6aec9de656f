//go:build tools

// Package forge names the version of Gitea that pull requests are tried against. It is a module of its own, so that
// nothing of Gitea is among what the product needs:
//
//	cd bench/forge && go build -tags sqlite,sqlite_unlock_notify -o gitea code.gitea.io/gitea
//
// The tests do that by themselves: go test -tags forge -run TestForge ./cmd/delegate
package forge

import _ "code.gitea.io/gitea"
