module github.com/pi-guard/pi-guard

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/gofrs/flock v0.13.2
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f
	golang.org/x/text v0.44.0
	mvdan.cc/sh/v3 v3.14.1
)

require github.com/google/go-cmp v0.7.0

require (
	github.com/sourcegraph/jsonrpc2 v0.2.3
	github.com/tree-sitter/go-tree-sitter v0.25.0
	github.com/tree-sitter/tree-sitter-bash v0.25.1
	pgregory.net/rapid v1.3.0
)

require github.com/mattn/go-pointer v0.0.1 // indirect

require (
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
