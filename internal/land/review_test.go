package land_test

import (
	"slices"
	"strings"
	"testing"

	"delegate/internal/land/review"
)

// TestReviewOfCandidate holds that the rules see the target and the result, and that what a command
// prints is shown and not approved.
func TestReviewOfCandidate(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.configure("review:\n  standards: [\"date +%s%N; echo src/keep.txt is worse; exit 1\"]\n")
	r.works("AGT-001", files{"src/package.json": `{"dependencies": {"left-pad": "1"}}`, "src/keep.txt": "changed\n"})
	c := r.build("AGT-001")
	if len(c.Review) != 2 || c.Review[0].Rule != "dependency" || c.Review[0].Path != "src/package.json" ||
		c.Review[1].Rule != "standards" || c.Review[1].Severity != review.Warning {
		t.Fatalf("remarks %+v", c.Review)
	}
	detail := c.Review[1].Detail
	if !strings.Contains(detail, "src/keep.txt is worse") {
		t.Errorf("remark %+v", c.Review[1])
	}
	again := r.build("AGT-001")
	if again.Review[1].Detail == detail {
		t.Error("the command was not run again")
	}
	if again.Digest != c.Digest {
		t.Error("what a command prints is in the digest")
	}
}

// TestReviewIsOfItsRules holds that what a review said counts only as long as it is asked for by the same rules.
func TestReviewIsOfItsRules(t *testing.T) {
	t.Parallel()
	r := begin(t, base())
	r.works("AGT-001", files{"src/keep.txt": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\n"})
	asked := func() (rules []string) {
		for _, remark := range r.build("AGT-001").Review {
			rules = append(rules, remark.Rule)
		}
		return rules
	}
	first := asked()
	if !slices.Contains(first, "secrets") {
		t.Fatalf("remarks of %q", first)
	}
	if again := asked(); !slices.Equal(again, first) {
		t.Errorf("the second time remarks of %q, the first %q", again, first)
	}
	r.configure("review:\n  secrets: false\n")
	if now := asked(); slices.Contains(now, "secrets") {
		t.Errorf("after secrets are no more looked for, remarks of %q", now)
	}
}
