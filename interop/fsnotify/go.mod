module github.com/goreactor/reactor/interop/fsnotify

go 1.27

toolchain go1.27.3

require (
	github.com/fsnotify/fsnotify v1.10.1
	github.com/goreactor/reactor v0.0.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.13.0 // indirect
)

replace github.com/goreactor/reactor => ../..
