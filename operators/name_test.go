package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/direct"
)

func TestNameAndTag(t *testing.T) {
	src := Tag(Tag(Name(FromSlice([]int{1, 2}), "old"), "a", "1"), "b", "2")
	assert.Equal(t, Labels{"old", map[string]string{"a": "1", "b": "2"}}, LabelsOf(src))
	assert.Equal(t, Labels{"new", map[string]string{"a": "3", "b": "2"}}, LabelsOf(Tag(Name(src, "new"), "a", "3")))
	assert.Equal(t, Labels{"old", map[string]string{"a": "1", "b": "2"}}, LabelsOf(src), "unchanged")
	assert.Equal(t, Labels{}, LabelsOf(Just(1)))
	run(src).Done(t, 1, 2)
	one := Name(Just(1), "one")
	v, ok, err := one.(direct.Callable[int]).Call(context.Background())
	assert.True(t, v == 1 && ok && err == nil)
	run(one).Done(t, 1)
	_, callable := src.(direct.Callable[int])
	assert.False(t, callable)
}

func TestTag(t *testing.T) {
	src := Tag(Tag(Name(Just(1), "orders"), "tenant", "acme"), "zone", "eu")
	run(src).Done(t, 1)
	assert.Equal(t, Labels{Name: "orders", Tags: map[string]string{"tenant": "acme", "zone": "eu"}}, LabelsOf(src))
}

func TestLabelsOf(t *testing.T) {
	assert.Equal(t, Labels{}, LabelsOf(Just(1)))
	src := Name(Tag(Tag(Name(Just(1), "upper"), "zone", "upper"), "zone", "lower"), "lower")
	assert.Equal(t, Labels{Name: "lower", Tags: map[string]string{"zone": "lower"}}, LabelsOf(src))
	assert.Equal(t, Labels{}, LabelsOf(Map(src, func(v int) int { return v })), "an operator behind them hides them")
}
