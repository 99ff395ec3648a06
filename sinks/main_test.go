package sinks

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

var (
	errBoom  = errors.New("boom")
	errOther = errors.New("other")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

const all = probe.All
