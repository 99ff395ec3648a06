// Package inlined lets the compiler inline, in the packages of users, what operators do for each
// element.
//
// An operator is generic, so it is compiled where it is used: in a package that imports flux and
// has never heard of internal/protocol. What such a package can inline is what the packages that
// it imports hand on, and a package hands on the body of another one's function only if it has
// inlined that itself. A package that declares nothing but generic functions inlines nothing, so
// that each look at the demand, at the turn, or at an end would be a call.
//
// So a package whose types users instantiate says
//
//	var _ = inlined.Here[struct{}]
//
// which compiles Here there and is never called. TestUsersInline in proofs/inlining shows what it is good for.
package inlined

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/asking"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/elementwise"
	"github.com/goreactor/reactor/internal/upstream"
)

// Here calls what is to be inlined by those who import the package that names it. It is generic so that it is
// compiled there.
func Here[T any](
	requested *atomic.Int64, refill *demand.Refill, behind *asking.Behind, call *protocol.Calling, drain *protocol.Drain, link *protocol.Deferred,
	half *protocol.Half, arbiter *protocol.Arbiter, failures *failure.List, loop *protocol.PullLoop, out *protocol.Outlet, task *protocol.TaskOutlet,
	stage *elementwise.Stage, ring *queue.Ring[int], linked *queue.Linked[int],
) {
	argument.Given("", "", true)
	upstream.Continuing(context.Background())

	demand.Add(requested, 1)
	demand.Produced(requested, 1)
	_ = demand.Batch(1)
	_ = demand.NewRefill(1)
	refill.Left()
	refill.Consumed(1)
	behind.Add(1)
	behind.First()
	behind.Here()
	behind.Idle()
	behind.Pass()
	behind.Due()
	behind.Ask(nil)

	call.Begin()
	call.End()
	call.Failed()

	drain.TryEnter()
	drain.Active()
	drain.Announce()
	drain.Leave(nil)

	link.Cancel()
	link.Close()
	arbiter.Take()
	failures.Any()
	half.Hold()
	half.Enter()
	half.Leave()
	half.Attach(nil)
	half.Aside(func(int, error) bool { return true }, 1)
	loop.InitFeeding(nil, nil)
	loop.Cancelled()
	loop.Stops()
	loop.Ended()
	loop.Finish(nil, nil)

	out.Begin()
	out.Open()
	out.Closed()
	out.Stopped()
	out.Cancelled()
	out.Done()
	out.Ready()
	out.Context()
	out.Demand()
	out.Produced(1)
	out.TryEnter()
	task.Begin()
	task.Run()
	task.Yield()

	stage.IsDone()
	stage.Ignores()
	ring.IsEmpty()
	ring.Len()
	linked.IsEmpty()
	linked.Len()
}

var _ = Here[struct{}] // hands on what those who name Here inline
