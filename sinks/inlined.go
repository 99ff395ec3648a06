package sinks

import "github.com/goreactor/reactor/internal/inlined"

var _ = inlined.Here[struct{}] // for the packages of users
