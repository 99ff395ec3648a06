package netreactor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/schedulers"
)

// TestASchedulerBesideBusiness: BusinessOn counts, also where the environment says Business.
func TestASchedulerBesideBusiness(t *testing.T) {
	s := schedulers.NewSingle("business")
	defer s.Dispose()
	for _, opts := range [][]BindOption{{Business(2), BusinessOn(s)}, {BusinessOn(s), Business(2)}} {
		set, err := bindSettings("Bind", opts)
		require.NoError(t, err)
		require.NoError(t, set.startBusiness(&goroutines{}))
		assert.Same(t, s, set.business)
		set.stopBusiness()
		assert.False(t, s.IsDisposed(), "it is somebody else's")
	}
}
