module github.com/goreactor/reactor/benchmarks

go 1.27

toolchain go1.27.3

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/goreactor/reactor v0.0.0
	github.com/jjeffcaii/reactor-go v0.5.5
	github.com/moby/locker v1.0.1
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/reactivex/rxgo/v2 v2.5.0
	github.com/samber/lo v1.52.0
	github.com/samber/ro v0.3.0
	github.com/sourcegraph/conc v0.3.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.23.0
)

require (
	github.com/cenkalti/backoff/v4 v4.0.0 // indirect
	github.com/emirpasic/gods v1.12.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/stretchr/objx v0.5.3 // indirect
	github.com/teivah/onecontext v0.0.0-20200513185103-40f981bfd775 // indirect
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp v0.0.0-20220303212507-bbda1eaf7a17 // indirect
	golang.org/x/text v0.22.0 // indirect
)

replace github.com/goreactor/reactor => ../
