package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"

	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
	"delegate/internal/sys/atomicfile"
)

// Answer is all that is told of a comparison, as it was printed. Making that text of many findings takes longer than
// finding out that nothing moved.
type Answer struct {
	Blocking bool
	Text     []byte
}

const (
	// manyTips are so many that the answer is worth keeping.
	manyTips = 12
	// mostOfAnswer bounds its size.
	mostOfAnswer = 64 << 20
)

// question is the name of a comparison: what it compares, from which base, and who finds what there is.
func (r *Comparer) question(tips []objects.Span, base string, depth analyze.Depth) []byte {
	known, _ := r.knowing(depth)
	h := sha256.New()
	for i, t := range tips {
		if i == 0 {
			h.Write([]byte(known + " " + string(depth) + " " + base + "\n"))
		}
		h.Write([]byte(pairKey([2]objects.Span{t}) + t.BestOf + "\n"))
	}
	return h.Sum(nil)
}

func (r *Comparer) answerFile(depth analyze.Depth) string {
	return filepath.Join(r.p.Private, "conflicts-"+string(depth)+".answer")
}

// Recall is the answer that was kept for the same comparison. A file that is not whole is none.
func (r *Comparer) Recall(tips []objects.Span, base string, depth analyze.Depth) (Answer, bool) {
	if len(tips) < manyTips {
		return Answer{}, false
	}
	data, err := atomicfile.ReadRegular(r.answerFile(depth), mostOfAnswer)
	question := r.question(tips, base, depth)
	text, same := bytes.CutPrefix(data, question)
	if err != nil || !same || len(text) < crc32.Size+1 {
		return Answer{}, false
	}
	sum, text := text[:crc32.Size], text[crc32.Size:]
	if binary.BigEndian.Uint32(sum) != crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) {
		return Answer{}, false
	}
	return Answer{Blocking: text[0] == 1, Text: text[1:]}, true
}

// Keep keeps the answer to the last comparison, if another look cannot say more. In a repository where nothing can be
// written, nothing is kept.
func (r *Comparer) Keep(tips []objects.Span, base string, depth analyze.Depth, a Answer) {
	if !r.complete || r.p.Inside || len(tips) < manyTips || len(a.Text) > mostOfAnswer/2 {
		return
	}
	text := append([]byte{0}, a.Text...)
	if a.Blocking {
		text[0] = 1
	}
	data := r.question(tips, base, depth)
	data = binary.BigEndian.AppendUint32(data, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
	if os.MkdirAll(r.p.Private, 0o700) == nil {
		_ = atomicfile.WriteUnsynced(r.answerFile(depth), append(data, text...), 0o600)
	}
}
