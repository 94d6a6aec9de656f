package record

import (
	"delegate/registry"
	"fmt"
	"testing"
)

// The cost of a write must not grow with what happened before.
func BenchmarkUpdate(b *testing.B) {
	for _, events := range []int{10, 1_000, 10_000} {
		for _, sessions := range []int{0, 50} {
			b.Run(fmt.Sprintf("events=%d/sessions=%d", events, sessions), func(b *testing.B) {
				s := storeIn(b.TempDir())
				for range sessions {
					update(b, s, twoAgents)
					update(b, s, func(tx *registry.Tx) error {
						return tx.EndSession(registry.SessionComplete, registry.Event{})
					})
				}
				update(b, s, twoAgents)
				for i := 0; i < events; i += 200 {
					update(b, s, func(tx *registry.Tx) error {
						for range min(200, events) {
							if err := message("a message of usual length, with a path src/limit/bucket.go")(
								tx); err != nil {
								return err
							}
						}
						return nil
					})
				}
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					update(b, s, message("a message of usual length, with a path src/limit/bucket.go"))
				}
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	s := storeIn(b.TempDir())
	update(b, s, twoAgents)
	for range maxRows - 1 {
		update(b, s, message("a message of usual length, with a path src/limit/bucket.go"))
	}
	data := []byte(read(b, s.o.Path))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := registry.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
