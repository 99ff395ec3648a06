module github.com/goreactor/reactor/cmd/reactorvet

go 1.27

toolchain go1.27.3

require golang.org/x/tools v0.51.0

require (
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
)
