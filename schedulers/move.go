package schedulers

import "github.com/goreactor/reactor/internal/chaos"

// crowdedSlots are slots that got a direct task while they had another holder, in the order in which
// they did. When a slot becomes idle, relieve looks among them for a task to move.
type crowdedSlots struct{ head, tail *slot } // pool.mu

// relieves is how many slots are looked at for a task to move.
const relieves = 4

// add puts a slot at the end, unless it is in the list. The caller holds pool.mu.
func (c *crowdedSlots) add(s *slot) {
	if s.crowded {
		return
	}
	s.crowded = true
	if c.tail == nil {
		c.head = s
	} else {
		c.tail.nextCrowd = s
	}
	c.tail = s
}

// next takes the first slot out, nil if there is none. The caller holds pool.mu.
func (c *crowdedSlots) next() *slot {
	s := c.head
	if s == nil {
		return nil
	}
	c.head, s.nextCrowd, s.crowded = s.nextCrowd, nil, false
	if c.head == nil {
		c.tail = nil
	}
	return s
}

// relieve moves a task that waits behind one that runs to idle, a slot without holders and tasks,
// and reports whether it found one. The caller holds mu.
func (e *elastic) relieve(idle *slot, now int64) bool {
	if e.closed || idle.outer != nil { // a decorator sees what its slot gets
		return false
	}
	last := e.crowd.tail
	for looked := 0; looked < relieves; {
		from := e.crowd.next()
		if from == nil {
			return false
		}
		if from != idle && from.place == placeBusy && from.holders.Load() > 0 {
			looked++
			moved := from.move(idle)
			if moved {
				e.lighter(from, now)
			}
			if from.holders.Load() > 1 {
				e.crowd.add(from) // it may have another task to move, maybe one whose submitter is still on the way
			}
			if moved {
				return true
			}
		}
		if from == last {
			return false
		}
	}
	return false
}

// lighter puts a slot that has given a task away where it belongs. The caller holds mu.
func (e *elastic) lighter(s *slot, now int64) {
	if s.holders.Load() == 0 && s.isQuiet() {
		e.park(s, now)
		return
	}
	e.busy.recount(s)
}

// move moves the first direct task that waits to the slot to, which has no holders and no tasks, if a task of
// s runs. The caller holds pool.mu: so nobody else locks two slots, and neither of the two is closed.
func (s *slot) move(to *slot) bool {
	if s.progress.Load()%2 == 0 {
		return false // its loop is on the way to what waits, and takes that in a row
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.queue.takeDirect()
	if !ok {
		return false
	}
	chaos.Yield()
	to.mu.Lock()
	s.accepted--
	to.holders.Add(1)
	if h := it.handle(); h != nil {
		h.up = &to.ctx
		h.id.Store(&to.id) // from here on it is disposed there
	}
	chaos.Yield()
	start := to.take(it)
	to.mu.Unlock()
	s.holders.Add(-1)
	if start {
		go to.run()
	}
	return true
}
