package executors

import "context"

// Future is the result of an accepted task, which is there or will come.
type Future[T any] struct {
	Handle
	ctx   context.Context                      // of the submitter; nil as fn
	fn    func(ctx context.Context) (T, error) // nil once the task is over
	value T                                    // written before the handle is settled
}

// Get waits for the result and returns it. The end of ctx ends the wait, but not
// the task. A panic in the task becomes a [*reactor.PanicError].
func (f *Future[T]) Get(ctx context.Context) (T, error) {
	if err := f.Wait(ctx); err != nil {
		var zero T
		return zero, err
	}
	return f.value, nil
}

func newFuture[T any](ctx context.Context, p *ThreadPool, fn func(ctx context.Context) (T, error)) (*Future[T], error) {
	if !p.made() {
		return nil, errNotMade
	}
	if fn == nil {
		return nil, ErrNilTask
	}
	if ctx == nil || ctx.Err() != nil {
		return nil, unusable(ctx)
	}
	f := &Future[T]{ctx: ctx, fn: fn}
	f.init(p, (*futureBody[T])(f))
	return f, nil
}

// futureBody is a Future under another name, so that the methods of body are not exported: a future is its own body.
type futureBody[T any] Future[T]

func (f *futureBody[T]) run(ctx context.Context) error {
	v, err := f.fn(ctx)
	if err == nil && !f.IsDone() {
		f.value = v // nobody reads it if the handle is cancelled after this look
	}
	return err
}

func (f *futureBody[T]) context() context.Context { return f.ctx }
func (f *futureBody[T]) pc() uintptr              { return pcOf(f.fn) }

func (f *futureBody[T]) release() {
	f.ctx = nil
	f.fn = nil
}

// Submit runs fn on a worker and returns a future for its result. It is like
// [ThreadPool.Execute], with one difference: the end of ctx cancels the task,
// whether it waits or runs.
func (p *ThreadPool) Submit[T any](ctx context.Context, fn func(ctx context.Context) (T, error)) (*Future[T], error) {
	f, err := newFuture(ctx, p, fn)
	if err != nil {
		return nil, err
	}
	if err := p.submit(entry{h: &f.Handle}); err != nil {
		return nil, err
	}
	f.watch(ctx)
	return f, nil
}

// Remove cancels a task that waits in the queue, and reports whether it did. Unlike
// [Handle.Cancel] it leaves a running task alone.
func (p *ThreadPool) Remove(h *Handle) bool {
	return p.made() && h != nil && h.pool == p && h.cancelQueued()
}

// Purge is here for those who know it from Java: cancelled tasks leave the queue at
// once, so there is nothing to purge. It returns 0.
func (p *ThreadPool) Purge() int { return 0 }

// Track runs task, and calls dropped if the task will not be run after all. The
// function withdraw takes the task back, and reports whether it did so before the
// start. Track is for code that builds on a pool, as schedulers do: no policy drops
// the task after it was accepted, and a policy that would discard the task refuses
// it with an error instead.
func (p *ThreadPool) Track(ctx context.Context, task Task, dropped func(cause error)) (withdraw func() bool, err error) {
	h, err := p.track(ctx, task, dropped)
	if err != nil {
		return nil, err
	}
	if err := p.submit(entry{h: h}); err != nil {
		return nil, err
	}
	return h.cancelQueued, nil
}

func (p *ThreadPool) track(ctx context.Context, task Task, dropped func(cause error)) (*Handle, error) {
	if !p.made() {
		return nil, errNotMade
	}
	if task == nil {
		return nil, ErrNilTask
	}
	if ctx == nil || ctx.Err() != nil {
		return nil, unusable(ctx)
	}
	if dropped == nil {
		dropped = func(error) {} // somebody waits for the run all the same, see awaited
	}
	h := &Handle{essential: true}
	h.init(p, &tracked{ctx: ctx, task: task, dropped: dropped})
	return h, nil
}

// tracked is the body of a task of Track: dropped, if there is one, is called if the task will not be run.
type tracked struct {
	ctx     context.Context // of the submitter
	task    Task
	dropped func(cause error)
}

func (t *tracked) run(ctx context.Context) error { t.task(ctx); return nil }
func (t *tracked) context() context.Context      { return t.ctx }
func (t *tracked) pc() uintptr                   { return pcOf(t.task) }
func (t *tracked) release()                      {}

func (t *tracked) abandoned(err error) {
	if t.dropped != nil {
		t.dropped(err)
	}
}
