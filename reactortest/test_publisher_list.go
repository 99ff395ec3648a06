package reactortest

import "slices"

// current returns those who get what is sent now.
func (p *TestPublisher[T]) current() []*outlet[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.present()
}

// present returns the outlets that have not left. The caller holds mu.
func (p *TestPublisher[T]) present() []*outlet[T] {
	return slices.DeleteFunc(slices.Clone(p.outlets), func(o *outlet[T]) bool { return o.left })
}

// leave ends what the publisher holds of o, unless it goes on regardless.
func (o *outlet[T]) leave() {
	if o.unwatch != nil {
		o.unwatch()
	}
	p := o.p
	if p.breaks[GoesOnAfterCancel] || p.breaks[GoesOnAfterTheEnd] {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.left {
		return
	}
	o.left = true
	if p.left++; p.left > len(p.outlets)/2 { // not at each one that leaves, which would cost n² for n of them
		p.outlets, p.left = p.present(), 0
	}
}
