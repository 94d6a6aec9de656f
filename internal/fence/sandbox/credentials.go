package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/turn/program"
)

// Credentials are the places below a person's home where logins, keys and what was typed usually lie, relative to
// it, those of the agent programs among them. An agent gets the login of its own program as a copy in its own home;
// it needs none of these. A list of places can miss one: sandbox.hidden names more.
func Credentials() []string {
	var all []string
	for _, places := range [][]string{keys, forges, clouds, packages, databases, messages, browsers, wallets,
		editors, histories} {
		all = append(all, places...)
	}
	for _, p := range program.All() {
		all = append(append(all, p.Credentials...), p.Hidden...)
	}
	return all
}

// CredentialsIn are those of a home that are there, as ~/…, sorted.
func CredentialsIn(home string) []string {
	all := []string{}
	for _, name := range Credentials() {
		if _, err := os.Lstat(filepath.Join(home, filepath.FromSlash(name))); err == nil && home != "" {
			all = append(all, "~/"+name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// PersonsGit are the files of a person's own git configuration, in which addresses with tokens and headers can
// stand. The git of a process with a home of its own reads none of them.
func PersonsGit() []string { return []string{".gitconfig", ".config/git/config"} }

var (
	keys = []string{
		".ssh", ".gnupg", ".password-store",
		".local/share/keyrings", ".local/share/kwalletd", ".kde/share/apps/kwallet",
		".config/op", ".config/1Password", ".config/Bitwarden", ".config/Bitwarden CLI", ".config/keepassxc",
		".config/sops", ".config/age", ".age", ".pki", ".vault-token", ".putty", ".android/adbkey", ".yubico",
		".config/Yubico", ".step", ".tsh", ".krb5cc", ".config/rbw", ".local/share/rbw", ".doppler", ".config/doppler",
		".infisical", ".config/infisical", ".config/restic", ".config/borg", ".smbcredentials", ".davfs2/secrets",
		".Xauthority", ".ICEauthority", ".rhosts", ".config/filezilla", ".filezilla", ".config/remmina",
		".local/share/remmina",
		".restic", ".resticprofile", ".config/resticprofile", ".borg", ".config/borgmatic", ".duplicity",
		".config/gopass", ".local/share/gopass", ".config/lpass", ".local/share/lpass", ".config/keybase",
		".local/share/keybase", ".config/vault", ".secrets", ".env", ".acme.sh", ".lego", ".local/share/mkcert",
		".config/openvpn", ".config/wireguard", ".curlrc", ".wgetrc", ".config/aria2", ".config/lftp",
		".local/share/lftp", ".config/httpie", ".httpie", ".config/Postman", ".postman", ".config/Insomnia",
		".config/bruno",
	}
	forges = []string{
		".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub",
		".config/glab-cli", ".config/tea", ".config/berg", ".gitlab", ".config/jj/secrets", ".subversion/auth",
		".config/circleci", ".circleci", ".travis",
		".config/hut", ".config/lab", ".hgrc", ".config/hg", ".p4tickets", ".p4enviro", ".cvspass", ".config/breezy",
		".arcrc", ".jira.d", ".config/.jira", ".config/acli", ".config/linear", ".buildkite", ".config/buildkite",
		".drone", ".config/woodpecker", ".jenkins",
	}
	clouds = []string{
		".aws", ".azure", ".config/gcloud", ".boto", ".s3cfg",
		".oci", ".bluemix", ".aliyun", ".tccli", ".config/doctl",
		".config/hcloud", ".config/linode-cli", ".config/vultr-cli.yaml",
		".config/scw", ".config/exoscale", ".kube",
		".docker/config.json", ".config/containers/auth.json", ".config/helm",
		".config/argocd", ".argocd", ".minikube",
		".terraform.d/credentials.tfrc.json", ".terraformrc",
		".pulumi", ".vagrant.d/data", ".ansible/galaxy_token",
		".ansible/vault_password", ".ansible_vault_pass", ".vault_pass", ".vault_pass.txt", ".config/hashicorp",
		".chef", ".config/rclone", ".vercel",
		".local/share/com.vercel.cli", ".config/netlify", ".netlify", ".wrangler",
		".config/.wrangler", ".fly", ".railway", ".config/heroku", ".local/share/heroku", ".config/firebase",
		".config/configstore", ".config/ngrok", ".ngrok2",
		".cloudflared", ".config/stripe", ".config/sentry-cli",
		".sentryclirc", ".databrickscfg", ".databricks",
		".snowflake", ".snowsql", ".kaggle", ".huggingface/token",
		".cache/huggingface/token", ".cache/huggingface/stored_tokens",
		".config/wandb", ".jupyter", ".local/share/jupyter",
		".openai", ".config/openai", ".anthropic",
		".config/anthropic", ".modal.toml", ".replicate", ".supabase",
		".config/supabase", ".newrelic", ".config/datadog", ".dbt/profiles.yml",
		".civo.json", ".config/openstack", ".openstack", ".cf", ".config/cf", ".config/upctl.yaml", ".edgerc",
		".saml2aws", ".awsvault", ".granted", ".config/granted", ".mc", ".passwd-s3fs", ".b2_account_info",
		".config/b2", ".gsutil", ".config/onedrive", ".dropbox", ".config/Nextcloud", ".render", ".config/turso",
		".config/neonctl", ".config/planetscale", ".koyeb.yaml", ".rancher", ".config/k9s", ".packer.d",
		".config/fastly", ".twilio-cli", ".config/twilio-cli", ".config/shopify", ".expo", ".config/earthengine",
		".cdsapirc", ".ecmwfapirc", ".comet.config", ".clearml.conf", "clearml.conf", ".neptune", ".lightning",
		".runpod", ".vast_api_key", ".paperspace", ".prefect", ".astro", ".config/goose/secrets.yaml",
		".config/io.datasette.llm", ".config/aichat", ".config/mods", ".config/shell_gpt", ".config/fabric",
		".config/groq", ".cohere", ".mistral", ".ollama/id_ed25519", ".config/sourcegraph", "src-config.json",
		".codeium", ".config/TabNine", ".config/crush", ".local/share/crush", ".docker/contexts", ".docker/trust",
	}
	packages = []string{
		".npmrc", ".yarnrc.yml", ".bunfig.toml", ".pypirc", ".config/pip/pip.conf", ".pip/pip.conf",
		".config/pypoetry/auth.toml", ".config/uv", ".local/share/uv/credentials", ".cargo/credentials",
		".cargo/credentials.toml", ".gem/credentials", ".local/share/gem/credentials",
		".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".sbt/.credentials",
		".ivy2/.credentials", ".nuget/NuGet/NuGet.Config", ".config/NuGet", ".composer/auth.json",
		".config/composer/auth.json", ".config/hex", ".hex/hex.config", ".pub-cache/credentials.json",
		".config/dart/pub-credentials.json", ".conan/.conan.db",
		".conan2/credentials.json", ".cpan/CPAN/MyConfig.pm",
		".pause", ".jfrog", ".config/jfrog",
		".condarc", ".conda/.condarc", ".mambarc", ".continuum", ".config/anaconda", ".local/share/binstar",
		".Rprofile", ".Renviron", ".config/R", ".bundle/config", ".gemrc", ".yarnrc", ".config/pnpm",
		".pnpmrc", ".config/pdm", ".config/hatch", ".config/twine", ".pydistutils.cfg",
		".sbt/sonatype_credentials", ".config/coursier/credentials.properties", ".bintray",
		".lein/credentials.clj.gpg", ".lein/profiles.clj", ".cabal/config", ".config/cabal", ".hackage",
		".luarocks/upload_config.lua",
		".julia/servers", ".config/nix", ".config/cachix", ".config/attic", ".vsce", ".ovsx", ".config/rebar3",
		".singularity/remote.yaml", ".singularity/docker-config.json",
		".apptainer/remote.yaml", ".apptainer/docker-config.json", ".config/artifactory",
	}
	databases = []string{
		".pgpass", ".pg_service.conf", ".my.cnf",
		".mylogin.cnf", ".mongorc.js", ".dbshell", ".rediscli_history",
		".config/redis", ".cassandra", ".config/pgcli",
		".config/litecli", ".dbeaver4", ".local/share/DBeaverData",
		".config/DBeaver", ".influxdbv2", ".odbc.ini", ".mongodb", ".sqldeveloper", ".mysql",
		".myclirc", ".usqlpass", ".config/usql", ".clickhouse-client", ".config/beekeeper-studio", ".config/mongosh",
		".mongoshrc.js", ".config/atlascli", ".config/mongocli", ".pgadmin", ".config/pgadmin", ".config/elastic",
		".neo4j", ".trino_config", ".bigqueryrc", ".config/snowflake",
	}
	messages = []string{
		".msmtprc", ".esmtprc", ".config/msmtp", ".mbsyncrc", ".isyncrc",
		".offlineimaprc", ".fetchmailrc", ".muttrc", ".mutt",
		".config/mutt", ".config/neomutt", ".thunderbird",
		".config/evolution", ".local/share/evolution", ".config/Slack",
		".config/discord", ".config/Signal",
		".local/share/TelegramDesktop", ".config/Element", ".config/Microsoft",
		".config/teams-for-linux", ".config/zoomus.conf", ".zoom",
		".irssi", ".weechat", ".config/weechat", ".purple",
		".config/aerc", ".config/himalaya", ".config/isyncrc", ".config/offlineimap", ".config/getmail", ".mailrc",
		".notmuch-config", ".config/vdirsyncer", ".config/profanity", ".local/share/profanity", ".gcalcli_oauth",
		".config/gcalcli", ".config/iamb", ".config/matrix-commander", ".config/slack-cli", ".slack", ".config/toot",
		".twurlrc", ".trc", ".config/todoist",
	}
	browsers = []string{
		".mozilla", ".librewolf", ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium",
		".config/BraveSoftware", ".config/vivaldi",
		".config/opera", ".config/microsoft-edge", ".config/epiphany",
		".local/share/epiphany", ".config/falkon", ".local/share/qutebrowser", ".tor-browser", ".cache/mozilla",
		".cache/google-chrome", ".cache/chromium", "snap/firefox", "snap/chromium", "snap/thunderbird",
		".var/app/org.mozilla.firefox", ".var/app/com.google.Chrome", ".var/app/org.chromium.Chromium",
		".var/app/com.brave.Browser", ".var/app/org.mozilla.Thunderbird", ".var/app/com.slack.Slack",
		".var/app/com.discordapp.Discord",
	}
	wallets = []string{
		".bitcoin", ".litecoin", ".dogecoin", ".ethereum",
		".monero", "Monero/wallets", ".electrum", ".config/solana",
		".config/Exodus", ".config/atomic", ".config/Ledger Live", ".foundry/keystores", ".brownie/accounts",
	}
	editors = []string{
		".config/Code/User/globalStorage", ".config/Code/Local Storage", ".config/Code/Cookies",
		".config/Cursor/User/globalStorage", ".config/Cursor/Local Storage", ".config/Cursor/Cookies",
		".config/VSCodium/User/globalStorage", ".config/Windsurf/User/globalStorage", ".local/share/zed/db",
		".vscode-server/data/User/globalStorage",
		".cursor-server/data/User/globalStorage", ".config/JetBrains", ".continue", ".authinfo",
		".authinfo.gpg", ".config/emacs/authinfo",
	}
	histories = []string{
		".bash_history", ".history", ".zsh_history", ".histfile",
		".local/share/fish", ".local/share/atuin", ".psql_history",
		".mysql_history", ".sqlite_history", ".python_history",
		".node_repl_history", ".irb_history", ".pry_history",
		".lesshst", ".viminfo", ".local/state/nvim/shada", ".wget-hsts", ".local/share/recently-used.xbel",
		".zhistory", ".sh_history", ".ksh_history", ".local/share/powershell", ".config/nushell/history.txt",
		".config/nushell/history.sqlite3", ".Rhistory", ".julia/logs", ".ipython/profile_default/history.sqlite",
		".scala_history", ".php_history", ".config/psysh", ".local/share/psysh", ".octave_hist", ".gdb_history",
		".local/share/xonsh", ".tmux/resurrect",
	}
)
