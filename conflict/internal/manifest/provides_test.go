package manifest

import (
	"strings"
	"testing"

	"delegate/conflict/code"
)

func TestProvides(t *testing.T) {
	cases := []struct {
		ecosystem code.Ecosystem
		// dependency brings in all of yes and nothing of no.
		dependency, yes, no string
	}{
		{Go, "github.com/acme/kit", "github.com/acme/kit github.com/acme/kit/log github.com/acme/kit/vault " +
			"github.com/acme/kit/api/v2 github.com/acme/kit/v0 github.com/acme/kit/v1/x",
			"github.com/acme/kitchen github.com/acme fmt github.com/acme/kit/v2 github.com/acme/kit/v10/log"},
		{Go, "github.com/acme/kit/v2", "github.com/acme/kit/v2 github.com/acme/kit/v2/log github.com/acme/kit/v2/v1",
			"github.com/acme/kit github.com/acme/kit/v3"},
		{Go, "gopkg.in/yaml.v3", "gopkg.in/yaml.v3", "gopkg.in/yaml.v2"},
		{Go, "go", "", "go go/ast fmt"},
		{Go, "toolchain", "", "toolchain/x"},

		{NPM, "lodash", "lodash lodash/fp lodash/fp/map",
			"lodash-es ./lodash ../lodash @scope/lodash node:lodash #lodash"},
		{NPM, "@scope/a", "@scope/a @scope/a/b/c", "@scope/ab @scope a scope/a"},
		{NPM, "@types/node", "", "node node:fs fs"},

		{Python, "requests", "requests requests.adapters", "requests_oauthlib request .requests ..requests"},
		{Python, "flask-sqlalchemy", "flask_sqlalchemy flask_sqlalchemy.model", "flask sqlalchemy"},
		{Python, "google-cloud-storage", "google.cloud.storage google.cloud.storage.blob",
			"google.cloud google.cloud.storages"},
		{Python, "python-dateutil", "dateutil dateutil.parser", "python datetime"},
		{Python, "kafka-python", "kafka.consumer", "python"},
		{Python, "pyyaml", "yaml yaml.nodes", "pyyaml yamllint"},
		{Python, "pillow", "PIL PIL.Image", "pil"},
		{Python, "protobuf", "google.protobuf.message", "google google.cloud protobuf"},
		{Python, "setuptools", "setuptools pkg_resources", "pkg"},
		{Python, "python", "", "python sys"},

		{Rust, "serde", "serde serde::de ::serde::Serialize", "serde_json serde_json::Value crate::serde std::fmt"},
		{Rust, "tracing-subscriber", "tracing_subscriber::fmt", "tracing tracing::info"},
	}
	for _, c := range cases {
		for module := range strings.FieldsSeq(c.yes) {
			if !Provides(c.ecosystem, c.dependency, module) {
				t.Errorf("%s: %q does not provide %q", c.ecosystem, c.dependency, module)
			}
		}
		for _, module := range append(strings.Fields(c.no), "") {
			if Provides(c.ecosystem, c.dependency, module) {
				t.Errorf("%s: %q provides %q", c.ecosystem, c.dependency, module)
			}
		}
	}
	if Provides(Go, "", "fmt") || Provides("COBOL", "a", "a") {
		t.Error("something is provided by nothing")
	}
}

func TestKnownPackagesAreFound(t *testing.T) {
	last := ""
	for line := range strings.Lines(knownModules) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, modules, ok := strings.Cut(line, " = ")
		if !ok || name <= last {
			t.Errorf("%q is no entry, or stands behind %q", line, last)
		}
		last = name
		for module := range strings.FieldsSeq(modules) {
			if !Provides(Python, pythonName(name), module) {
				t.Errorf("%q does not provide %q", name, module)
			}
		}
	}
}
