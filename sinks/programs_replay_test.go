package sinks_test

// What must hold of what is replayed in a random program (programs_test.go, programs_books_test.go).

import "slices"

// checkReplay looks at what those got who came late. What one got who was there all the time is the order.
func (b *balance) checkReplay() {
	var all []int
	for _, s := range b.subs {
		if s.stays() && len(b.items[s]) == len(b.ok) {
			all = b.items[s]
		}
	}
	if len(all) != len(b.ok) {
		return
	}
	for _, s := range b.subs {
		if s.over != 0 && s.Up != nil {
			b.checkReplayed(s, all)
		}
	}
}

// checkReplayed checks that a subscriber got the last ones of all that were kept when it came.
func (b *balance) checkReplayed(s *subscriber, all []int) {
	wrong := b.About("subscriber %d ", s.id)
	items, first := b.items[s], len(all)
	if s.stays() && len(items) > 0 && items[len(items)-1] != all[len(all)-1] {
		wrong("has not got the last element")
	}
	if len(items) > 0 {
		first = slices.Index(all, items[0])
		if first+len(items) > len(all) || !slices.Equal(items, all[first:first+len(items)]) {
			wrong("got %v of %v", items, all)
			return
		}
	} else if !s.stays() {
		return
	}
	least, most := b.there(s, all)
	switch {
	case b.ttl < 0:
		if first < b.forgotten(least) || first > b.forgotten(most) {
			wrong("came when there were %d to %d, and got those from %d on", least, most, first)
		}
	case b.ttl == 0:
		if first < least {
			wrong("got what is kept for no time")
		}
	case b.ended != nil && (b.ended.over == 0 || b.ended.begun < s.over): // what is kept at an end grows no older
	default:
		for i, v := range all {
			e := b.ok[v]
			if e.over == 0 || e.over >= s.begun || e.how == "wait" {
				continue
			}
			age := s.at - e.at
			if i < first && age < b.ttl && i >= b.forgotten(most) {
				wrong("came at %v, and has not got %d of %v", s.at, v, e.at)
			}
			if i >= first && age >= b.ttl {
				wrong("came at %v, and got %d of %v", s.at, v, e.at)
			}
		}
	}
}

// there returns how many of all there were when the subscriber came, at least and at most.
func (b *balance) there(s *subscriber, all []int) (least, most int) {
	for i, v := range all {
		e := b.ok[v]
		if e.over != 0 && e.over < s.begun {
			least = i + 1
		}
		if e.begun < s.over {
			most = i + 1
		}
	}
	return least, most
}

// forgotten returns how many of n elements the history has no room for.
func (b *balance) forgotten(n int) int {
	if b.history > 0 {
		return max(0, n-b.history)
	}
	return 0
}
