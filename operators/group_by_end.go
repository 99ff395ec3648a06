package operators

import (
	"cmp"
	"slices"

	"github.com/goreactor/reactor"
)

// inOrder returns the groups in the order in which they are to end.
func (m *groupByMain[T, K, V, G]) inOrder() []*group[K, V] {
	m.forget()
	list := make([]*group[K, V], 0, len(m.groups))
	for _, g := range m.groups {
		list = append(list, g)
	}
	m.mu.Lock()
	m.groups = nil
	m.mu.Unlock()
	compare := compareKeys[K]()
	slices.SortFunc(list, func(a, b *group[K, V]) int {
		if compare != nil {
			return compare(a.key, b.key)
		}
		return cmp.Compare(a.number, b.number)
	})
	return list
}

// fail passes the error of src to all groups, and down.
func (m *groupByMain[T, K, V, G]) fail() {
	err := m.err
	m.err = nil // but done stays
	for _, g := range m.inOrder() {
		g.Error(err)
	}
	over := m.over
	m.clear()
	if over || m.cancelled.Load() {
		reactor.DropError(m.ctx, err)
		return
	}
	m.down.OnError(err)
}

// clear gives up the groups that wait to be emitted.
func (m *groupByMain[T, K, V, G]) clear() {
	m.over = true
	for g, ok := m.queue.Poll(); ok; g, ok = m.queue.Poll() {
		g.Abandon()
	}
}

// DrainCrashed implements protocol.Drainer.
func (m *groupByMain[T, K, V, G]) DrainCrashed(err error) {
	over, g := m.over, m.hand
	m.hand = nil
	m.Cancel()
	if g != nil {
		g.Abandon()
	}
	m.clear()
	err = reactor.OperatorError(m.ctx, err, nil)
	if over {
		reactor.DropError(m.ctx, err)
		return
	}
	m.down.OnError(err)
}
