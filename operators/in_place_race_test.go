package operators

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// parcel is an element that counts who has got it, and how often it was discarded.
type parcel struct{ got, told atomic.Int32 }

func (c *parcel) Discarded() { c.told.Add(1) }

// parcels takes what comes.
type parcels struct {
	up    reactor.Subscription
	ended atomic.Int32
}

func (c *parcels) OnSubscribe(up reactor.Subscription) { c.up = up; up.Request(reactor.Unbounded) }
func (c *parcels) OnNext(v *parcel)                    { v.got.Add(1) }
func (c *parcels) OnError(error)                       { c.ended.Add(1) }
func (c *parcels) OnComplete()                         { c.ended.Add(1) }

// Wherever a cancellation comes while an inner publisher is computed, its element is delivered or discarded, once.
func TestInnerIsComputedWhileTheStageIsCancelled(t *testing.T) {
	for name, stage := range map[string]func(reactor.Publisher[int], func(int) reactor.Publisher[*parcel]) reactor.Publisher[*parcel]{
		"flatMap": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*parcel]) reactor.Publisher[*parcel] {
			return FlatMap(src, fn)
		},
		"concatMap": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[*parcel]) reactor.Publisher[*parcel] {
			return ConcatMap(src, fn)
		},
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Rounds(t, 4000, func() ([]func(), func()) {
				src, down := &puppet[int]{}, &parcels{}
				var made []*parcel // by the source
				stage(src, func(n int) reactor.Publisher[*parcel] {
					call := FromFunc(func(context.Context) (*parcel, error) {
						made = append(made, &parcel{})
						return made[len(made)-1], nil
					})
					if n%2 == 0 {
						return Filter(call, func(*parcel) bool { return true })
					}
					return TryMap(call, func(v *parcel) (*parcel, error) { return v, nil })
				}).Subscribe(context.Background(), down)
				return []func(){
					func() {
						for n := range 3 {
							src.last().OnNext(n)
						}
					},
					func() { down.up.Cancel() },
				}, func() {
					for _, v := range made {
						assert.EqualValues(t, 1, v.got.Load()+v.told.Load())
					}
					assert.Zero(t, down.ended.Load())
				}
			})
		})
	}
}
