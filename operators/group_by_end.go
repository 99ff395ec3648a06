package operators

import "github.com/goreactor/reactor/internal/failure"

// finish ends the groups, then the stream of groups, as src has ended.
func (m *groupByMain[T, K, V, G]) finish(err error) {
	defer m.out.End(err) // also if a function that hears of what follows ends the goroutine
	failure.InTurn(m.settle, func() {
		groups := m.inOrder()
		failure.Persist(len(groups), func(i int) bool { groups[i].End(err); return true })
	})
}

// inOrder returns the groups in the order in which they are to end.
func (m *groupByMain[T, K, V, G]) inOrder() []*group[K, V] {
	m.removeCancelled()
	list := make([]*group[K, V], 0, len(m.groups))
	for _, g := range m.groups {
		list = append(list, g)
	}
	m.mu.Lock()
	m.groups = nil
	m.mu.Unlock()
	return ordered(list)
}
