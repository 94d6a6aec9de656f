package supervise

import (
	"context"

	"delegate/internal/control/session"
)

// finish has the session ended when nothing in it waits for anybody, some time after the last change. What kept it from
// ending is not tried again until something changes.
func (s *supervisor) finish(ctx context.Context) {
	after := s.p.Config.EndAfter.Value()
	if s.o.End == nil || after == 0 || s.busy[lane{"", ofSession}] != nil || s.seen == s.endTried ||
		!session.Decided(s.state) || s.p.Now().Sub(s.seen.Time) < after {
		return
	}
	s.endTried = s.seen
	s.begin(lane{"", ofSession}, "end the", func(snapshot) error { return s.o.End(ctx) })
}
