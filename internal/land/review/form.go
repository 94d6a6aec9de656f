package review

import (
	"math"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// form is one sort of secret that a text can be told by.
type form struct {
	what     string // with an article
	severity Severity
	// hints are parts in lower case, one of which is in every line of the form; other lines are not searched.
	hints []string
	// text finds it; its first group, if it has one, is the secret itself.
	text *lazyregexp.Regexp
	// entropy is the least bits a character that a real one has; 0 asks for none.
	entropy float64
	// digits says that a real one has some, which words of a text or of a style sheet have not.
	digits bool
	// below says that it goes on in the next line.
	below bool
}

// forms lists what is looked for, the surer ones first: of several in one line the first counts.
// Those that a form alone makes certain are Critical; those that could be something else are a Warning.
func forms() []form {
	certain := func(what, hints, text string) form {
		return form{what: what, severity: Critical, hints: strings.Fields(hints), text: lazyregexp.New(text),
			entropy: 3}
	}
	likely := func(what, hints, text string, entropy float64) form {
		return form{what: what, severity: Warning, hints: strings.Fields(hints), text: lazyregexp.New(text),
			entropy: entropy}
	}
	return append([]form{
		{what: "a private key", severity: Critical, hints: []string{"private key"}, below: true,
			text: lazyregexp.New(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[rn]|\s)+[\w+/]{4}`)},
		{what: "a model provider's key", severity: Critical, hints: []string{"sk-"}, entropy: 3.5, digits: true,
			text: lazyregexp.New(`\b(sk-(?:ant-|proj-|svcacct-|or-v1-)?[0-9A-Za-z_-]{32,})`)},
		certain("an AWS access key", "akia asia abia acca", `\b((?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16})\b`),
		certain("an AWS secret key", "aws_secret aws-secret awssecret",
			`(?i)\baws[_-]?secret[_-]?(?:access[_-]?)?key\b["']?\s*(?::=|=>|[=:])\s*["']?([0-9a-z/+]{40})(?:[^0-9a-z/+=]|$)`),
		certain("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
			`\b(gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{50,})\b`),
		certain("a GitLab token", "glpat- gldt- glrt- glptt- glcbt- glft- glsoat- glagent- glimt-",
			`\b(gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt)-[0-9A-Za-z_-]{20,})`),
		certain("a Slack token", "xox xapp-", `\b(x(?:ox[abeoprs]|app)-[0-9A-Za-z-]{20,})\b`),
		certain("a Slack webhook", "hooks.slack.com",
			`(hooks\.slack\.com/services/T[0-9A-Z]{6,}/B[0-9A-Z]{6,}/[0-9A-Za-z]{20,})`),
		certain("a Google API key", "aiza", `\b(AIza[0-9A-Za-z_-]{35})(?:[^0-9A-Za-z_-]|$)`),
		certain("a Google OAuth secret", "gocspx-", `\b(GOCSPX-[0-9A-Za-z_-]{28})(?:[^0-9A-Za-z_-]|$)`),
		certain("a Stripe key", "k_live_", `\b([sr]k_live_[0-9A-Za-z]{16,})\b`),
		likely("a Stripe test key", "k_test_", `\b([sr]k_test_[0-9A-Za-z]{16,})\b`, 3),
		certain("an npm token", "npm_", `\b(npm_[0-9A-Za-z]{36})\b`),
		certain("a PyPI token", "pypi-", `\b(pypi-AgEIcHlwaS5vcmc[0-9A-Za-z_-]{50,})`),
		certain("a Hugging Face token", "hf_", `\b(hf_[A-Za-z]{34})\b`),
		certain("a SendGrid key", "sg.", `\b(SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43})(?:[^0-9A-Za-z_-]|$)`),
		certain("an age secret key", "age-secret-key-1", `\b(AGE-SECRET-KEY-1[0-9A-Z]{58})\b`),
		likely("a signed token (JWT)", "eyj", `\b(eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{16,})`,
			4),
		likely("a password in an address", "://",
			`\b[a-z][a-z0-9+.-]*://[^\s:/@"'<>{}$]+:([^\s:/@"'<>{}$]{6,})@[\w.-]+`, 2.5),
	}, named()...)
}

// named are secrets that are told by the name they are given to and by looking random.
func named() []form {
	hints := []string{"passw", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "accesskey",
		"access_key", "privatekey", "private_key", "credential"}
	const name = `(?i:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access_?key|private_?key|credential)[\w.-]*`
	return []form{
		{what: "a secret given to a name", severity: Warning, hints: hints, entropy: 3.5, digits: true,
			text: lazyregexp.New(name + `["']?\s*(?::=|=>|[=:])\s*["']([^\s"'<>{}$]{12,})["']`)},
		{what: "a secret given to a name", severity: Warning, hints: hints, entropy: 3.7, digits: true,
			text: lazyregexp.New(name + `\s*=\s*([0-9A-Za-z+/_.-]{16,}=*)\s*(?:#.*)?$`)},
	}
}

// placeholders are parts of texts that stand where a secret would.
func placeholders() []string {
	return []string{"example", "changeme", "change-me", "placeholder", "dummy", "password", "xxxx", "your-", "your_",
		"redacted", "abcdefgh", "12345678"}
}

// real reports whether a text of the form can be a secret, and not what is written in its place.
func (f form) real(secret string) bool {
	if f.entropy == 0 {
		return true
	}
	if f.digits && !strings.ContainsAny(secret, "0123456789") {
		return false
	}
	lower := strings.ToLower(secret)
	for _, p := range placeholders() {
		if strings.Contains(lower, p) {
			return false
		}
	}
	return entropy(secret) >= f.entropy
}

// entropy is how many bits a character of the text carries, by how often each occurs in it.
func entropy(text string) float64 {
	count := map[rune]int{}
	n := 0
	for _, r := range text {
		count[r]++
		n++
	}
	bits := 0.0
	for _, c := range count {
		p := float64(c) / float64(n)
		bits -= p * math.Log2(p)
	}
	return bits
}
