package checkpoint

import (
	"runtime"
	"strings"
	"testing"
)

func BenchmarkScanner(b *testing.B) {
	for name, chunk := range map[string]string{
		"prose":           prose(1 << 20),
		"block each 64K":  prose(64<<10) + canonicalText,
		"ordinary lines":  plainProse(1 << 20),
		"colour all over": eachLine(plainProse(1<<20), "\x1b[32m", "\x1b[0m"),
	} {
		b.Run(name, func(b *testing.B) {
			p := []byte(chunk)
			s := NewScanner("AGT-001")
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				s.Feed(p)
			}
		})
	}
}

func BenchmarkScannerStream1GB(b *testing.B) {
	p := []byte(prose(1<<20 - len(canonicalText)))
	p = append(p, canonicalText...)
	b.SetBytes(int64(len(p)) * 1024)
	b.ReportAllocs()
	var heap uint64
	for range b.N {
		s := NewScanner("AGT-001")
		for range 1024 {
			if len(s.Feed(p)) != 1 {
				b.Fatal("a block was lost")
			}
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heap = max(heap, m.HeapInuse)
	}
	b.ReportMetric(float64(heap), "heap-bytes")
}

func BenchmarkTestDetector(b *testing.B) {
	for name, text := range map[string]string{
		"prose":           plainProse(1 << 20),
		"talk of testing": strings.ReplaceAll(plainProse(1<<20), "src/limit", "tests/limit_test.go"),
	} {
		b.Run(name, func(b *testing.B) {
			p := []byte(text)
			w := NewTestDetector()
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				w.Feed(p)
			}
			if w.Seen() {
				b.Fatal("prose shows a test run")
			}
		})
	}
}

// plainProse is ASCII sentences alone.
func plainProse(n int) string {
	const line = "Reading the limiter and all its callers in src/limit before anything changes there.\n"
	out := make([]byte, 0, n+len(line))
	for len(out) < n {
		out = append(out, line...)
	}
	return string(out)
}
