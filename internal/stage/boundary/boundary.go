// Package boundary says where one buffer, or window, ends and the next one begins, for operators that look at the elements for
// that. What is cut is not its subject.
package boundary

// Cut says how an element stands to the boundary between two buffers, or windows.
type Cut uint8

const (
	None   Cut = iota // the element belongs to what is open
	After             // it is the last one of what is open
	Before            // it is the first one of what comes next
	Out               // it ends what is open and belongs to nothing
)

// Cutter says so for one element after the other of one subscription.
type Cutter[T any] func(v T) Cut

// Nowhere is the cutter behind the end of what is cut. It keeps no key of an element that has come.
func Nowhere[T any](T) Cut { return None }

// Changes returns the cutter that begins anew where the key of an element differs
// from that of the element before.
func Changes[T, K any](key func(T) K, equal func(a, b K) bool) Cutter[T] {
	var last K
	first := true
	return func(v T) Cut {
		k := key(v)
		same := first || equal(last, k)
		last, first = k, false
		if same {
			return None
		}
		return Before
	}
}
