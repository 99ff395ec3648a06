package operators

// cut says how an element stands to the boundary between two buffers, or windows.
type cut uint8

const (
	cutNone   cut = iota // the element belongs to what is open
	cutAfter             // it is the last one of what is open
	cutBefore            // it is the first one of what comes next
	cutOut               // it ends what is open and belongs to nothing
)

// cutter says so for one element after the other of one subscription.
type cutter[T any] func(v T) cut

// changes returns the cutter that begins anew where the key of an element differs
// from that of the element before.
func changes[T, K any](key func(T) K, equal func(a, b K) bool) cutter[T] {
	var last K
	first := true
	return func(v T) cut {
		k := key(v)
		same := first || equal(last, k)
		last, first = k, false
		if same {
			return cutNone
		}
		return cutBefore
	}
}
