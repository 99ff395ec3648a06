//go:build unix

package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The test program is also the clerks.
func TestMain(m *testing.M) {
	if os.Getenv(clerkEnv) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), nil, &out))
	t.Log(out.String())
	with, without, _ := strings.Cut(out.String(), "Nobody looks at tokens")
	for _, want := range []string{
		"clerk 1 is stopped while it moves", "clerk 1 goes on", "its write is refused: fence:", "the lease is stale: token",
		"clerk 2 is killed while it moves", "The ledger adds up.",
	} {
		assert.Contains(t, with, want)
	}
	for _, want := range []string{
		"clerk 1 is stopped while it moves", "it writes what it had read before", " 0 refused by the file", "The ledger does not add up.",
	} {
		assert.Contains(t, without, want)
	}
}

func TestArguments(t *testing.T) {
	var out strings.Builder
	for _, args := range []string{"-lease=900ms", "-think=0s", "-think=-1s", "-lease=2s -think=1001ms"} {
		assert.ErrorContains(t, run(t.Context(), strings.Fields(args), &out), "-lease must be 1s or more and -think positive", args)
	}
	assert.Error(t, run(t.Context(), []string{"-nonsense"}, &out))
	assert.NoError(t, run(t.Context(), []string{"-h"}, &out))
	assert.ErrorContains(t, run(t.Context(), []string{"1s"}, &out), "is no flag")
	assert.Error(t, run(t.Context(), []string{"-url", "nats://127.0.0.1:1"}, &out))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, run(ctx, nil, &out), context.Canceled)
}

func TestLedgerRefusesOldTokens(t *testing.T) {
	book := ledger{dir: t.TempDir(), fenced: true}
	require.NoError(t, book.create([]string{"a", "b"}, 10))
	write := func(token uint64, nonce string) error {
		var changed [2]account
		for i, name := range []string{"a", "b"} {
			changed[i] = account{Name: name, Balance: int(token)}
			changed[i].Mark.Token, changed[i].Mark.Nonce = token, nonce
		}
		return book.write(move{"a", "b", 1}, changed)
	}
	require.NoError(t, write(3, "x"))
	require.NoError(t, write(3, "x"), "the same lease again")
	require.ErrorContains(t, write(2, "w"), "token 2, 3 was seen before")
	require.ErrorContains(t, write(3, "y"), "from another lease")
	require.NoError(t, write(4, "y"))
	all, err := book.read()
	require.NoError(t, err)
	assert.Equal(t, 4, all[1].Balance)
	moves, err := book.moves()
	require.NoError(t, err)
	assert.Len(t, moves, 3, "what was refused is not in the journal")
}
