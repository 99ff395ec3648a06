package benchmarks

import (
	"os"
	"testing"
)

// The tests do little work, the benchmarks do all of it.
func TestMain(m *testing.M) {
	if !benching() {
		Size, Inner, Singles, Sleepers, Tasks, SleepTasks, DelayedTasks = 8_000, 100, 1_000, 500, 800, 500, 1_000
	}
	os.Exit(m.Run())
}

func benching() bool {
	for _, arg := range os.Args {
		if len(arg) > 12 && arg[:12] == "-test.bench=" {
			return true
		}
	}
	return false
}

func TestEverybodyDoesTheSameWork(t *testing.T) {
	for _, w := range append(Workloads(), Operators()...) {
		for _, c := range w.Runs {
			t.Run(w.ID+"/"+c.Name, func(t *testing.T) {
				if c.Run == nil {
					if figure, err := c.Sample(); err != nil || figure < 0 || figure == 0 && w.Unit != Goroutines {
						t.Errorf("got %v, %v", figure, err)
					}
					return
				}
				if got := c.Run(); got != w.Want {
					t.Errorf("got %d, want %d", got, w.Want)
				}
			})
		}
	}
}

func BenchmarkWorkload(b *testing.B) {
	for _, w := range Workloads() {
		for _, c := range w.Runs {
			if c.Run == nil {
				continue
			}
			b.Run(w.ID+"/"+c.Name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.Run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.Elements), "ns/elem")
			})
		}
	}
}

func TestGrowthsRun(t *testing.T) {
	for _, g := range Growths() {
		t.Run(g.ID, func(t *testing.T) {
			size := min(g.Sizes[0], 100)
			if cost := g.Cost(size).Wall; cost <= 0 || g.Limit(cost, size) <= 0 {
				t.Errorf("cost %v, limit %v", cost, g.Limit(cost, size))
			}
		})
	}
}
