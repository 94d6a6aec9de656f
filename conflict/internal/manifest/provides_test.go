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

		{Maven, "org.slf4j:slf4j-api", "org.slf4j org.slf4j.event", "org.slf4jx org"},
		{Maven, "com.google.guava:guava", "com.google.common com.google.common.collect",
			"com.google.gson com.google.guava"},
		{Maven, "com.squareup.okhttp3:okhttp", "okhttp3 okhttp3.internal", "okio com.squareup.okhttp3"},
		{Maven, "org.apache.commons:commons-lang3", "org.apache.commons.lang3.tuple",
			"org.apache.commons.io org.apache.commons.lang"},
		{Maven, "org.springframework.boot:spring-boot-starter-web", "org.springframework.web.bind.annotation",
			"org.spring"},

		{Ruby, "rails", "rails rails/all", "railties ./rails /rails"},
		{Ruby, "rack-test", "rack/test rack-test rack_test rack/test/methods", "rack rack/tests"},
		{Ruby, "aws-sdk-s3", "aws-sdk-s3", "aws-sdk"},
		{Ruby, "activesupport", "active_support active_support/core_ext", "active_record activesupport"},
		{Ruby, "ruby", "", "ruby json"},

		{PHP, "monolog/monolog", `Monolog\Logger \Monolog\Handler\StreamHandler`, `Monologue\Logger`},
		{PHP, "symfony/http-foundation", `Symfony\Component\HttpFoundation\Request`,
			`Symfony\Component\HttpKernel HttpFoundations`},
		{PHP, "psr/http-message", `Psr\Http\Message\ResponseInterface`,
			`Psr\Http\Client\ClientInterface Psr\Log\LoggerInterface`},
		{PHP, "doctrine/orm", `Doctrine\ORM\EntityManager`, `Doctrine\Common\Form Doctrine\DBAL\Connection`},
		{PHP, "nikic/php-parser", `PhpParser\Node`, `Php\Parser`},
		{PHP, "vlucas/phpdotenv", `Dotenv\Dotenv`, `Vlucas\Env`},
		{PHP, "laminas/laminas-diactoros", `Laminas\Diactoros\Response`, `Laminas\Router`},
		{PHP, "laravel/framework", `Illuminate\Support\Str`, `Laravel\Sanctum`},
		{PHP, "php", "", `Php\Thing`},
		{PHP, "ext-json", "", `JsonSerializable Ext\Json`},
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
	for _, ecosystem := range []code.Ecosystem{Python, Maven, Ruby, PHP} {
		last := ""
		for line := range strings.Lines(knownModules) {
			line, ours := strings.CutPrefix(strings.TrimSpace(line), string(ecosystem)+" ")
			if !ours {
				continue
			}
			name, modules, ok := strings.Cut(line, " = ")
			if !ok || name <= last {
				t.Errorf("%s: %q is no entry, or stands behind %q", ecosystem, line, last)
			}
			last = name
			if ecosystem == Python {
				name = pythonName(name)
			} else if ecosystem == Maven && !strings.Contains(name, ":") {
				name += ":of-the-group"
			}
			for module := range strings.FieldsSeq(modules) {
				if !Provides(ecosystem, name, module) {
					t.Errorf("%s: %q does not provide %q", ecosystem, name, module)
				}
			}
		}
	}
}
