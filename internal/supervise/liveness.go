package supervise

import (
	"encoding/binary"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/registry"
)

// liveness knows the last signs of life of an agent: its transcript, its heartbeat file, its worktree.
type liveness struct {
	output    int64
	heartbeat session.Signature
	begun     bool

	worktree  uint64
	looked    bool          // at the worktree
	lookedAt  time.Duration // of quiet, when the worktree was last looked at
	freshTree bool          // the last look at the worktree found something new
}

// alive reports whether the transcript grew or the heartbeat was renewed since the last look, or
// the worktree was found changed. The first look is a sign of life by itself.
func (b *liveness) alive(output int64, heartbeat session.Signature) bool {
	alive := !b.begun || output != b.output || heartbeat != b.heartbeat || b.freshTree
	b.begun, b.output, b.heartbeat, b.freshTree = true, output, heartbeat, false
	if alive {
		b.lookedAt = 0
	}
	return alive
}

// wantsTree reports whether the worktree should be looked at: only of an agent that is otherwise
// quiet, ten times in its window.
func (b *liveness) wantsTree(quiet, window time.Duration) bool {
	return window > 0 && quiet-b.lookedAt >= window/10
}

// sawTree takes in a fingerprint of the worktree. The first says nothing.
func (b *liveness) sawTree(print uint64, quiet time.Duration) {
	b.freshTree = b.looked && print != b.worktree
	b.worktree, b.looked, b.lookedAt = print, true, quiet
}

// mostLooked bounds how many files of a worktree are looked at.
const mostLooked = 500_000

// fingerprint sums up names, sizes and times below the worktree, ignored files too, and the branch.
// What cannot be read is passed over.
func fingerprint(p *project.Project, a registry.Agent) uint64 {
	sum := fnv.New64a()
	add := func(path string, d fs.DirEntry) {
		info, err := d.Info()
		if err != nil {
			return
		}
		var numbers [16]byte
		binary.LittleEndian.PutUint64(numbers[:8], uint64(info.Size()))
		binary.LittleEndian.PutUint64(numbers[8:], uint64(info.ModTime().UnixNano()))
		_, _ = sum.Write([]byte(path))
		_, _ = sum.Write(numbers[:])
	}
	seen := 0
	_ = filepath.WalkDir(a.Worktree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if seen++; seen > mostLooked {
			return filepath.SkipAll
		}
		add(path, d)
		return nil
	})
	if tip, err := os.ReadFile(filepath.Join(p.Repo.CommonDir, "refs", "heads",
		filepath.FromSlash(a.Branch))); err == nil {
		_, _ = sum.Write(tip)
	}
	return sum.Sum64()
}
