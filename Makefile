# Each target is one command that can be typed by hand as well.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.1.4
# A measurement: it takes minutes, and skips where nothing behind -args says how much.
MEASURE = go test -tags bench -timeout 0 -v

# What is run in full before a change lands: tests that take long, and those of the benches.
TAGS = long,bench

.PHONY: build image dist test test-long test-slurm test-kubernetes check format vet staticcheck tidy race vuln bench soak agents test-agents module demo recording bench-landing bench-peers

# The linker of macOS makes no static programs.
STATIC = -tags netgo,osusergo -ldflags '-linkmode external -extldflags -static'

build:
	go build $(if $(filter darwin,$(shell go env GOOS)),,$(STATIC)) -o delegate ./cmd/delegate

# An image for turns on a cluster: with what is here that builds images, else as dist/image.tar, as root, with apt-get.
IMAGE = localhost/delegate-agents:1
image: build
	@for builder in podman buildah docker; do \
		if $$builder info >/dev/null 2>&1; then exec $$builder build -t $(IMAGE) -f Containerfile .; fi; \
	done; mkdir -p dist && .ci/image $(IMAGE) dist/image.tar && echo dist/image.tar

# All that is released, into dist/: archives, packages, checksums. With RELEASES=https://… also the formula, which needs that address.
dist:
	go run ./.ci/dist -o dist $(if $(RELEASES),-releases '$(RELEASES)')

# Under two minutes.
test:
	go test ./...

# All that is shown, in a quarter of an hour.
test-long:
	go test -tags $(TAGS) -timeout 30m ./...

# Turns on a real Slurm, which is installed and started here, also with the scripts that wait for the engine to miss a
# node. As root, with apt-get.
test-slurm:
	dir=$$(mktemp -d); trap '.ci/slurm "$$dir" stop; rm -rf "$$dir"' EXIT; .ci/slurm "$$dir" && \
	DELEGATE_TEST_SLURM=$$dir go test -tags long -count 1 -timeout 15m -run TestSlurm ./cmd/delegate

# Turns on a real Kubernetes, which is built (once, ten minutes) and started here; or on any, with
# DELEGATE_TEST_KUBECONFIG and DELEGATE_TEST_TEMPLATE. As root, with apt-get.
test-kubernetes:
	@if [ -n "$$DELEGATE_TEST_KUBECONFIG" ]; then go test -count 1 -timeout 30m -run TestKubernetes ./cmd/delegate; exit; fi; \
	dir=$$(mktemp -d); trap '.ci/kubernetes "$$dir" stop; rm -rf "$$dir"' EXIT; .ci/kubernetes "$$dir" && \
	DELEGATE_TEST_KUBERNETES=$$dir go test -count 1 -timeout 30m -run TestKubernetes ./cmd/delegate

check: format vet staticcheck tidy race vuln

format:
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted:"; echo "$$files"; exit 1; }

vet:
	go vet -tags $(TAGS) ./... ./.ci/dist

staticcheck:
	@if command -v staticcheck >/dev/null; then staticcheck -tags $(TAGS) ./... ./.ci/dist; else go run $(STATICCHECK) -tags $(TAGS) ./... ./.ci/dist; fi

tidy:
	go mod tidy -diff

# Each process with the detector in it would wait for a second before it ends, and the tests start thousands.
race:
	GORACE=atexit_sleep_ms=0 go test -tags $(TAGS) -timeout 30m -race ./...

# Without its database govulncheck can say nothing, which is said and is no fault of the tree.
vuln:
	@.ci/vuln $(GOVULNCHECK)

bench:
	go test -tags bench -run '^$$' -bench . -benchmem ./...

soak:
	$(MEASURE) -run TestSoak ./bench/soak -args -sessions 20

# The agent programs that the recordings are of: bench/agents runs them against a scripted model.
agents:
	npm install --prefix .agents --no-fund --no-audit @anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 \
		opencode-ai@1.18.33 @google/gemini-cli@0.61.0 @qwen-code/qwen-code@0.15.10 \
		@github/copilot@1.0.102 @mariozechner/pi-coding-agent@0.73.1

# Needs the programs of "agents", or $AGENTS_BIN with their folder.
test-agents:
	$(MEASURE) -run TestPrograms ./bench/agents -args -run

# The module's address, in go.mod and wherever a package is named: make module PATH=example.org/team/delegate
# make gives that PATH to what it starts; programs are looked for on the one that it was started with.
module:
	@test '$(origin PATH)' = 'command line' || { echo 'type: make module PATH=example.org/team/delegate'; exit 2; }
	@PATH=$$(PATH=/usr/bin:/bin; tr '\0' '\n' 2>/dev/null </proc/$$PPID/environ | sed -n 's/^PATH=//p'); \
	export PATH="$${PATH:-$$(/bin/bash -lc 'echo "$$PATH"')}"; go run .ci/module.go '$(PATH)'

demo:
	go run ./cmd/delegate demo

# The pictures of the README and of docs/watch.md.
recording:
	$(MEASURE) -run TestRecord ./bench/record -args -o docs/landing.svg
	$(MEASURE) -run TestRecord ./bench/record -args -script bench/record/watch.script -o docs/watch.svg

# 64 agents' work as one candidate, beside 64 runs of git merge. Downloads two releases of a module; takes minutes.
bench-landing:
	$(MEASURE) -run TestLanding ./bench/landing -args -branches 64

# A session beside plain git and, where SIG names the program of github.com/surya-koritala/sigbound, beside that.
bench-peers:
	$(MEASURE) -run TestPeers ./bench/peers -args -agents 2,8 -sig '$(SIG)'
