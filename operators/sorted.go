package operators

import "slices"

// sortedInPlace is how many elements are sorted by insertion.
const sortedInPlace = 20

// sortStable sorts items; equal elements keep their order. Stretches that are in order already, or
// in the opposite order, stay together: such runs, and short runs made by insertion, are merged,
// each time two of about the same length (powersort). If compare panics, no item is lost.
func sortStable[T any](items []T, compare func(a, b T) int) {
	m := runSort[T]{items: items, compare: compare}
	for end := 0; end < len(items); {
		begin := end
		end = m.run(begin)
		m.add(begin, end)
	}
	m.mergeDown(0)
}

// runSort is a sort that is under way.
type runSort[T any] struct {
	items   []T
	compare func(a, b T) int
	spare   []T         // memory for the shorter of two runs
	runs    []mergedRun // whose powers increase
}

// mergedRun is a run that waits for the next one.
type mergedRun struct{ begin, end, power int }

// run puts the elements from begin on in order, as many as are, or a few more, and returns where they end.
func (m *runSort[T]) run(begin int) (end int) {
	items, compare := m.items, m.compare
	if end = begin + 1; end == len(items) {
		return end
	}
	end++
	if compare(items[begin+1], items[begin]) < 0 {
		for end < len(items) && compare(items[end], items[end-1]) < 0 {
			end++
		}
		slices.Reverse(items[begin:end])
	} else {
		for end < len(items) && compare(items[end], items[end-1]) >= 0 {
			end++
		}
	}
	for few := min(begin+sortedInPlace, len(items)); end < few; end++ {
		v := items[end]
		at := begin + after(items[begin:end], v, compare)
		copy(items[at+1:end+1], items[at:end])
		items[at] = v
	}
	return end
}

// after returns how many of items come before v that comes later.
func after[T any](items []T, v T, compare func(a, b T) int) int {
	low, high := 0, len(items)
	for low < high {
		if mid := (low + high) / 2; compare(v, items[mid]) < 0 {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// before returns how many of items come before v that comes earlier.
func before[T any](items []T, v T, compare func(a, b T) int) int {
	low, high := 0, len(items)
	for low < high {
		if mid := (low + high) / 2; compare(items[mid], v) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// add adds a run, after it has merged the runs that belong deeper into the tree of merges.
func (m *runSort[T]) add(begin, end int) {
	power := 0
	if last := len(m.runs) - 1; last >= 0 {
		power = powerOf(m.runs[last].begin, begin, end, len(m.items))
	}
	m.mergeDown(power)
	m.runs = append(m.runs, mergedRun{begin, end, power})
}

// powerOf returns how deep the border between two runs of n elements is in a tree that halves them again and again.
func powerOf(begin, border, end, n int) (power int) {
	a, b := begin+border, border+end // twice where the middles of the runs are
	for power = 1; a/n == b/n; power++ {
		a, b = a%n*2, b%n*2
	}
	return power
}

// mergeDown merges the latest runs as long as their power is larger.
func (m *runSort[T]) mergeDown(power int) {
	for last := len(m.runs) - 1; last > 0 && m.runs[last].power > power; last-- {
		m.merge(m.runs[last-1].begin, m.runs[last].begin, m.runs[last].end)
		m.runs[last-1].end = m.runs[last].end
		m.runs = m.runs[:last]
	}
}

// merge merges two neighbouring runs, except for the items that are in their place
// already.
func (m *runSort[T]) merge(begin, border, end int) {
	begin += after(m.items[begin:border], m.items[border], m.compare)
	if begin == border {
		return
	}
	end = border + before(m.items[border:end], m.items[border-1], m.compare)
	if m.spare == nil {
		m.spare = make([]T, len(m.items)/2)
	}
	if border-begin <= end-border {
		m.forward(begin, border, end)
	} else {
		m.backward(begin, border, end)
	}
}

// forward merges into the place of the first run, which is the shorter one.
func (m *runSort[T]) forward(begin, border, end int) {
	items, compare := m.items, m.compare
	first := m.spare[:copy(m.spare, items[begin:border])]
	to, next := begin, border
	defer func() { copy(items[to:next], first) }() // also if compare panics
	for len(first) > 0 && next < end {
		if compare(items[next], first[0]) < 0 {
			items[to] = items[next]
			next++
		} else {
			items[to] = first[0]
			first = first[1:]
		}
		to++
	}
}

// backward merges into the place of the second run, which is the shorter one.
func (m *runSort[T]) backward(begin, border, end int) {
	items, compare := m.items, m.compare
	second := m.spare[:copy(m.spare, items[border:end])]
	defer func() { copy(items[border:end], second) }() // also if compare panics
	for len(second) > 0 && border > begin {
		if last := second[len(second)-1]; compare(last, items[border-1]) < 0 {
			items[end-1] = items[border-1]
			border--
		} else {
			items[end-1] = last
			second = second[:len(second)-1]
		}
		end--
	}
}
