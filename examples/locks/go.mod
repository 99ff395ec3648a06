module github.com/goreactor/reactor/examples/locks

go 1.27

toolchain go1.27.3

require (
	github.com/goreactor/reactor v0.0.0
	github.com/goreactor/reactor/connectors/nats v0.0.0
	github.com/goreactor/reactor/connectors/nats/itest v0.0.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
)

require (
	github.com/antithesishq/antithesis-sdk-go v0.8.0-default-no-op // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	github.com/nats-io/jwt/v2 v2.8.2 // indirect
	github.com/nats-io/nats-server/v2 v2.15.2 // indirect
	github.com/nats-io/nats.go v1.55.0 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace (
	github.com/goreactor/reactor => ../..
	github.com/goreactor/reactor/connectors/nats => ../../connectors/nats
	github.com/goreactor/reactor/connectors/nats/itest => ../../connectors/nats/itest
)
