package stages

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

// edge is what the functions at the end of a stream see. That it has no lock shows the race detector that they are called
// one after the other.
type edge struct {
	inside, ends   int
	overlaps, late bool
	ended          chan struct{} // closed by the first end
}

func (e *edge) next(any) {
	e.late = e.late || e.ends > 0
	e.inside++
	runtime.Gosched()
	e.inside--
}

func (e *edge) end(error) {
	e.overlaps = e.overlaps || e.inside > 0
	if e.ends++; e.ends == 1 {
		close(e.ended)
	}
}

var edges = map[string]func(context.Context, reactor.Publisher[any], *edge){
	"SubscribeFunc": func(ctx context.Context, src reactor.Publisher[any], e *edge) {
		operators.SubscribeFunc(ctx, src, e.next, operators.OnError(e.end), operators.OnComplete(func() { e.end(nil) }))
	},
	"ForEach": func(ctx context.Context, src reactor.Publisher[any], e *edge) {
		e.end(operators.ForEach(ctx, src, e.next))
	},
}

// feeder is a publisher that is known to send when its subscriber has its subscription.
type feeder struct{ stubborn[int] }

func (p *feeder) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	sub := &signalled[int]{ctx: ctx, down: s}
	s.OnSubscribe(sub)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.subs = append(p.subs, sub)
}

// send has every subscription get what it asks for of the elements, and the end.
func (p *feeder) send(elements ...int) {
	for range 100 {
		if len(p.all()) > 0 {
			break
		}
		runtime.Gosched()
	}
	subs := p.all()
	for i, v := range elements {
		for _, s := range subs {
			if s.requested.Load() > int64(i) {
				s.down.OnNext(v)
			}
		}
	}
	for _, s := range subs {
		s.down.OnComplete()
	}
}

// TestEndsOfContextsMeetSignals lets the context of a stream end while its elements come, and its timers fire: the end is told
// once, not during an element, and nothing comes behind it. Some stages look after that themselves, see protocol.Host.
func TestEndsOfContextsMeetSignals(t *testing.T) {
	for _, stage := range roster.Stages[int]() {
		for name, consume := range edges {
			t.Run(stage.Name+" "+name, func(t *testing.T) {
				racetest.Repeat(racetest.Iterations(30), func(race func(...func())) {
					if t.Failed() {
						return
					}
					ctx, cancel := context.WithCancelCause(quietContext())
					clock, src, e := reactortest.NewVirtualTime(), &feeder{}, &edge{ended: make(chan struct{})}
					stream := stage.Build(clock, src)
					racers := []func(){
						func() { consume(ctx, stream, e) },
						func() {
							if stage.Single {
								src.send(1)
							} else {
								src.send(1, 2, 3)
							}
						},
						func() { cancel(errCause) },
					}
					if stage.Timed {
						racers = append(racers, func() { clock.AdvanceBy(time.Hour) })
					}
					race(racers...)
					<-e.ended
					assert.False(t, e.overlaps, "an end during an element")
					assert.False(t, e.late, "an element after the end")
					assert.Equal(t, 1, e.ends)
				})
			})
		}
	}
}

// quietContext is one whose hooks say nothing.
func quietContext() context.Context {
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard:      func(context.Context, any) {},
		NextDropped:  func(context.Context, any) {},
		ErrorDropped: func(context.Context, error) {},
	})
}
