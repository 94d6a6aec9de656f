package main

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"delegate/conflict"
)

// object is one of a JSON document that is written and never read.
type object = map[string]any

// sarif is the findings in SARIF 2.1.0, in which code scanning services take them.
func sarif(found []conflict.Finding) object {
	var rules []object
	for _, rule := range []struct {
		id    conflict.Type
		words string
	}{
		{conflict.APIConflict, "One side changes a definition that the other uses"},
		{conflict.ImportConflict, "One side removes or changes what the other imports"},
		{conflict.TestConflict, "The sides expect different things of the same code"},
		{conflict.FileConflict, "Both sides change one file"},
	} {
		rules = append(rules, object{"id": rule.id, "shortDescription": object{"text": rule.words}})
	}
	results := []object{}
	for _, f := range found {
		results = append(results, sarifResult(f))
	}
	return object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool":    object{"driver": object{"name": "delegate", "version": version, "rules": rules}},
			"results": results,
		}},
	}
}

// sarifResult is one finding at the place of the second side, as far as it has one: what the first did is related.
func sarifResult(f conflict.Finding) object {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{string(f.Type), f.Message}, f.Agents...), "\x00")))
	r := object{
		"ruleId": f.Type, "level": map[conflict.Severity]string{conflict.Error: "error", conflict.Warning: "warning",
			conflict.Info: "note"}[f.Severity],
		"message":             object{"text": strings.TrimSpace(f.Message + " " + f.Advice)},
		"partialFingerprints": object{"finding/v1": hex.EncodeToString(sum[:])},
		"properties":          object{"certainty": f.Certainty, "blocking": f.Blocking, "agents": f.Agents},
	}
	if len(f.Places) == 0 {
		return r
	}
	last := len(f.Places) - 1
	r["locations"] = []object{sarifLocation(f.Places[last])}
	var related []object
	for i, place := range f.Places[:last] {
		at := sarifLocation(place)
		at["id"], at["message"] = i+1, object{"text": place.Agent}
		related = append(related, at)
	}
	if related != nil {
		r["relatedLocations"] = related
	}
	return r
}

func sarifLocation(p conflict.Place) object {
	place := object{"artifactLocation": object{"uri": (&url.URL{Path: p.Path}).String()}}
	if p.Line > 0 {
		place["region"] = object{"startLine": p.Line}
	}
	return object{"physicalLocation": place}
}
