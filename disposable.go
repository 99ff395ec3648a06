package reactor

import (
	"sync"
	"sync/atomic"
)

// NewDisposable returns a handle that runs fn once, when it is disposed. A nil fn
// makes a handle that does nothing but remember.
func NewDisposable(fn func()) Disposable { return &funcDisposable{fn: fn} }

// Disposed returns a handle that is disposed already.
func Disposed() Disposable { return disposedDisposable{} }

// Undisposable returns a handle that is never disposed, whatever is called.
func Undisposable() Disposable { return neverDisposable{} }

type funcDisposable struct {
	fn   func()
	done atomic.Bool
}

func (d *funcDisposable) Dispose() {
	if !d.done.Swap(true) && d.fn != nil {
		d.fn()
	}
}

func (d *funcDisposable) IsDisposed() bool { return d.done.Load() }

// String says whether it is disposed. Package fmt would read what others write meanwhile.
func (d *funcDisposable) String() string { return disposableText(d) }

func disposableText(d Disposable) string {
	if d.IsDisposed() {
		return "disposable, disposed"
	}
	return "disposable"
}

type disposedDisposable struct{}

func (disposedDisposable) Dispose()         {}
func (disposedDisposable) IsDisposed() bool { return true }
func (d disposedDisposable) String() string { return disposableText(d) }

type neverDisposable struct{}

func (neverDisposable) Dispose()         {}
func (neverDisposable) IsDisposed() bool { return false }
func (neverDisposable) String() string   { return "undisposable" }

// CompositeDisposable disposes of many at once. The zero value is empty and ready
// to use; it must not be copied. Nothing is disposed while a lock is held.
type CompositeDisposable struct {
	mu       sync.Mutex
	members  map[Disposable]struct{} // guarded by mu
	disposed bool                    // guarded by mu
}

// Add makes d a member and reports true. If the composite is disposed, d is
// disposed at once and Add reports false. d must be comparable, as pointers are; nil panics.
func (c *CompositeDisposable) Add(d Disposable) bool {
	if d == nil {
		panic("reactor: CompositeDisposable.Add: the handle is nil")
	}
	if !c.keep(d) {
		d.Dispose()
		return false
	}
	return true
}

// keep makes d a member, unless the composite is disposed.
func (c *CompositeDisposable) keep(d Disposable) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.disposed {
		return false
	}
	if c.members == nil {
		c.members = make(map[Disposable]struct{})
	}
	c.members[d] = struct{}{}
	return true
}

// Remove takes d out without disposing it and reports whether it was a member.
func (c *CompositeDisposable) Remove(d Disposable) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.members[d]
	delete(c.members, d)
	return ok
}

// Len returns the number of members.
func (c *CompositeDisposable) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.members)
}

// String says whether it is disposed, but not of how many.
func (c *CompositeDisposable) String() string { return disposableText(c) }

// Dispose disposes of all members, in no particular order, and of what is added
// later.
func (c *CompositeDisposable) Dispose() {
	c.mu.Lock()
	members := c.members
	c.members, c.disposed = nil, true
	c.mu.Unlock()
	var each []func()
	for d := range members {
		each = append(each, d.Dispose)
	}
	disposeAll(each)
}

// disposeAll calls each function, also behind one that panics or ends the goroutine, which goes on when all were called.
func disposeAll(each []func()) {
	for i, dispose := range each {
		clean := false
		func() {
			defer func() {
				if !clean {
					disposeAll(each[i+1:])
				}
			}()
			dispose()
			clean = true
		}()
	}
}

// IsDisposed reports whether Dispose was called.
func (c *CompositeDisposable) IsDisposed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.disposed
}

// SwapDisposable holds one handle at a time. The zero value is empty and ready to
// use; it must not be copied. Nothing is disposed while a lock is held.
type SwapDisposable struct {
	mu       sync.Mutex
	current  Disposable // guarded by mu
	disposed bool       // guarded by mu
}

// Update puts d in the place of the held handle, disposes that handle, and reports
// true. If the container is disposed, d is disposed at once and Update reports
// false.
func (s *SwapDisposable) Update(d Disposable) bool {
	old, ok := s.swap(d)
	if old != nil {
		old.Dispose()
	}
	return ok
}

// Replace is Update, but does not dispose the handle that was held. It reports
// whether d is held now.
func (s *SwapDisposable) Replace(d Disposable) bool {
	_, ok := s.swap(d)
	return ok
}

func (s *SwapDisposable) swap(d Disposable) (old Disposable, ok bool) {
	s.mu.Lock()
	if s.disposed {
		s.mu.Unlock()
		if d != nil {
			d.Dispose()
		}
		return nil, false
	}
	old, s.current = s.current, d
	s.mu.Unlock()
	return old, true
}

// Get returns the handle that is held, nil if there is none.
func (s *SwapDisposable) Get() Disposable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// String says whether it is disposed, but not what is held.
func (s *SwapDisposable) String() string { return disposableText(s) }

// Dispose disposes of the held handle and of those that come later.
func (s *SwapDisposable) Dispose() {
	s.mu.Lock()
	old := s.current
	s.current, s.disposed = nil, true
	s.mu.Unlock()
	if old != nil {
		old.Dispose()
	}
}

// IsDisposed reports whether Dispose was called.
func (s *SwapDisposable) IsDisposed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.disposed
}
