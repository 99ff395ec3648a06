package queue

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzAgainstSlice runs a program of queue operations, one per byte, on each queue
// and on a slice beside it, which is the definition of the right answer. The
// first three bytes choose the sizes and where the positions start.
func FuzzAgainstSlice(f *testing.F) {
	f.Add([]byte{1, 1, 0, 0, 1, 0, 0, 1, 1, 1})
	f.Add([]byte{5, 3, 255, 0, 0, 0, 0, 0, 0, 0, 2, 35, 1, 0, 0, 3, 67, 1})
	f.Add([]byte{8, 2, 7, 255, 255, 254, 127, 63, 62, 61, 60})
	f.Add([]byte("the quick brown fox jumps over the lazy dog"))
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) < 3 {
			return
		}
		capacity, chunk := 1+int(program[0])%40, 1+int(program[1])%9
		start := -uintptr(program[2])
		program = program[3:]
		run(t, program, NewRing[int](capacity).startAt(start), capacity)
		run(t, program, NewLinked[int](chunk).startAt(start), len(program)*8)
		run(t, program, NewMPSC[int](chunk), len(program)*8)
	})
}

func run(t *testing.T, program []byte, q full[int], capacity int) {
	var model []int
	next := 0
	for _, op := range program {
		arg := int(op >> 3)
		switch op & 7 {
		case 0, 1, 2: // offer up to eight
			for range 1 + arg%8 {
				room := len(model) < capacity
				require.Equal(t, room, q.Offer(next))
				if room {
					model = append(model, next)
				}
				next++
			}
		case 3, 4, 5:
			v, ok := q.Poll()
			require.Equal(t, len(model) > 0, ok)
			if ok {
				require.Equal(t, model[0], v)
				model = model[1:]
			}
		default:
			dst := make([]int, arg)
			n := q.PollBatch(dst)
			require.Equal(t, min(arg, len(model)), n)
			require.Equal(t, append([]int{}, model[:n]...), append([]int{}, dst[:n]...))
			model = model[n:]
		}
		require.Equal(t, len(model), q.Len())
		require.Equal(t, len(model) == 0, q.IsEmpty())
	}
}
