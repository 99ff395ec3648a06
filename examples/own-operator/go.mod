module github.com/goreactor/reactor/examples/own-operator

go 1.27

toolchain go1.27.3

require (
	github.com/goreactor/reactor v0.0.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace github.com/goreactor/reactor => ../..
