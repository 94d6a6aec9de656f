# Each target is one command that can be typed by hand as well.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.1.4

.PHONY: build test check format vet staticcheck tidy race vuln bench demo

build:
	go build -tags netgo,osusergo -ldflags '-linkmode external -extldflags -static' -o delegate ./cmd/delegate

test:
	go test ./...

check: format vet staticcheck tidy race vuln

format:
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted:"; echo "$$files"; exit 1; }

vet:
	go vet ./...

staticcheck:
	@if command -v staticcheck >/dev/null; then staticcheck ./...; else go run $(STATICCHECK) ./...; fi

tidy:
	go mod tidy -diff

race:
	go test -race ./...

# Without its database govulncheck can say nothing, which is said and is no fault of the tree.
vuln:
	@.ci/vuln $(GOVULNCHECK)

bench:
	go test -run '^$$' -bench . -benchmem ./...

demo:
	go run ./cmd/delegate demo
