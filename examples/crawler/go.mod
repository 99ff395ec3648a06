module github.com/goreactor/reactor/examples/crawler

go 1.27

toolchain go1.27.3

require (
	github.com/goreactor/reactor v0.0.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.23.0
	golang.org/x/time v0.16.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace github.com/goreactor/reactor => ../..
