package keylock

// CallOf returns what stands for the call that got the lease.
func CallOf(l Lease) any { return l.h }

// Queue returns the calls that wait for key, in their order of arrival.
func (m *Manager) Queue(key string) (calls []any) {
	s := m.shardOf(key)
	s.lock()
	defer s.unlock()
	if e := s.entries[key]; e != nil {
		for h := e.first(); h != nil; h = h.behind {
			calls = append(calls, h)
			if h == e.last {
				break
			}
		}
	}
	return calls
}

// Largest returns how many keys the maps of m have room for, as far as it knows.
func (m *Manager) Largest() (n int) {
	for i := range m.parts {
		s := &m.parts[i]
		s.lock()
		n += s.largest
		s.unlock()
	}
	return n
}
