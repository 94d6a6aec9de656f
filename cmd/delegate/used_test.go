package main

import (
	"testing"

	"delegate/internal/status"
)

// TestCostOf holds that a screen shows money where it is known, marked where it was computed, and else tokens.
func TestCostOf(t *testing.T) {
	for want, v := range map[string]status.UsageView{
		"": {}, "$0.40": {Tokens: 5, CostUSD: 0.4}, "≈$0.40": {CostUSD: 0.4, CostComputed: true},
		"950 tok": {Tokens: 950}, "1.2M tok": {Tokens: 1_200_000},
	} {
		if got := costOf(v); got != want {
			t.Errorf("%+v is %q, want %q", v, got, want)
		}
	}
}
