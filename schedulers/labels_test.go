package schedulers

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goroutineLabels returns the pprof labels of the calling goroutine as the
// goroutine profile shows them.
func goroutineLabels(t *testing.T) string {
	t.Helper()
	var buf bytes.Buffer
	assert.NoError(t, pprof.Lookup("goroutine").WriteTo(&buf, 2))
	// The first goroutine of the profile is the one that takes it.
	header, _, _ := bytes.Cut(buf.Bytes(), []byte("\n"))
	return string(header)
}

func setLabel(key, value string) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(key, value)))
}

func TestA2_12_WorkerNameAndLabels(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			defer s.Dispose()
			name, labels := make(chan string, 1), make(chan string, 1)
			require.NoError(t, s.Execute(func(ctx context.Context) {
				labels <- goroutineLabels(t)
				name <- WorkerName(ctx)
			}))
			header, worker := <-labels, <-name
			assert.Regexp(t, `^t-\d+$`, worker)
			assert.Contains(t, header, fmt.Sprintf("worker: %q", worker))
			assert.Contains(t, header, "scheduler: "+s.Stats().Kind)
		})
	}
	assert.Empty(t, WorkerName(context.Background()))
}

// Names are numbered per kind of scheduler, through the whole process.
func TestA2_11_NumbersGoOn(t *testing.T) {
	number := func(s Scheduler) (n int) {
		name := where(t, s)
		_, err := fmt.Sscanf(regexp.MustCompile(`\d+$`).FindString(name), "%d", &n)
		require.NoError(t, err)
		return n
	}
	a, b := NewSingle("a"), NewSingle("b")
	defer a.Dispose()
	defer b.Dispose()
	assert.Equal(t, number(a)+1, number(b))
	p := must(NewParallel("p", 3))
	defer p.Dispose()
	q := must(NewParallel("q", 1))
	defer q.Dispose()
	assert.Equal(t, number(p)+3, number(q))
}

// The goroutine of a slot is started by whoever submits: it must not show the
// labels of that request in the tasks of others.
func TestB12_1_LabelsOfTheSubmitterDoNotLeak(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			defer s.Dispose()
			labels := make(chan string, 3)
			note := func(ctx context.Context) {
				labels <- goroutineLabels(t)
				pprof.ForLabels(ctx, func(key, value string) bool {
					assert.NotEqual(t, "request", key)
					return true
				})
			}
			pprof.Do(context.Background(), pprof.Labels("request", "secret"), func(context.Context) {
				require.NoError(t, s.Execute(note))
				_, err := s.Schedule(note)
				require.NoError(t, err)
				_, err = s.ScheduleAfter(note, 1)
				require.NoError(t, err)
			})
			for range 3 {
				assert.NotContains(t, <-labels, "secret")
			}
			runtime.Gosched()
		})
	}
}

// A slot keeps neither a task that has ended, nor one that was withdrawn, nor what
// they refer to.
func TestB12_2_NothingIsKept(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			defer s.Dispose()
			w := s.NewWorker()
			var alive atomic.Int64
			load := func() *[1 << 16]byte {
				data := new([1 << 16]byte)
				alive.Add(1)
				runtime.AddCleanup(data, func(int) { alive.Add(-1) }, 0)
				return data
			}
			var handles []Disposable
			for range 100 {
				for _, l := range []lane{s, w} {
					a, b, c, d := load(), load(), load(), load()
					require.NoError(t, l.Execute(func(context.Context) { runtime.KeepAlive(a) }))
					handles = append(handles,
						accept(t)(l.Schedule(func(context.Context) { runtime.KeepAlive(b) })),
						accept(t)(l.ScheduleAfter(func(context.Context) { runtime.KeepAlive(c) }, time.Microsecond)),
						accept(t)(l.ScheduleAfter(func(context.Context) { runtime.KeepAlive(d) }, time.Hour)),
					)
					handles[len(handles)-1].Dispose()
				}
			}
			require.Eventually(t, func() bool {
				runtime.GC()
				return alive.Load() == 0
			}, 10*time.Second, time.Millisecond)
			for _, h := range handles {
				assert.True(t, h.IsDisposed())
			}
			w.Dispose()
		})
	}
}
