package programs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Program is what random programs have in common, for them to embed: which one it is, when it began, and what is wrong with it.
type Program struct {
	Seed, Number uint64
	Rand         *rand.Rand // for what is decided before anybody acts
	start        time.Time
	mu           sync.Mutex
	wrong        []string // mu
}

// New returns a program that begins now.
func New(seed, number uint64) *Program {
	return &Program{Seed: seed, Number: number, Rand: rand.New(rand.NewPCG(seed, number)), start: time.Now()}
}

// Own returns a source for the n-th part of the program, so that it chooses the same whatever others do.
func (p *Program) Own(n int) *rand.Rand {
	return rand.New(rand.NewPCG(p.Seed, p.Number<<20+uint64(n)))
}

// Now returns the time since the program began.
func (p *Program) Now() time.Duration { return time.Since(p.start) }

// Fail notes what is wrong. The first ten are kept.
func (p *Program) Fail(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.wrong) < 10 {
		p.wrong = append(p.wrong, fmt.Sprintf(format, args...))
	}
}

// About returns Fail with these words before all that it notes.
func (p *Program) About(about string, of ...any) func(format string, args ...any) {
	return func(format string, args ...any) { p.Fail("%s", fmt.Sprintf(about, of...)+fmt.Sprintf(format, args...)) }
}

// Wrong returns what is wrong, and then how the whole describes itself.
func (p *Program) Wrong(whole fmt.Stringer) []string {
	p.mu.Lock()
	wrong := slices.Clone(p.wrong)
	p.mu.Unlock()
	if len(wrong) > 0 {
		wrong = append(wrong, whole.String())
	}
	return wrong
}

// Book is a list of what is known of things of one kind, which everybody adds to.
type Book[T any] struct {
	mu   sync.Mutex
	list []*T // mu
}

// Enter adds e. First number is called with how many there were, while nobody else can add one.
func (b *Book[T]) Enter(e *T, number func(n int)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	number(len(b.list))
	b.list = append(b.list, e)
}

// All returns those that there are by now, in the order in which they came.
func (b *Book[T]) All() []*T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.list)
}

// Some returns any of them, or nil.
func (b *Book[T]) Some(r *rand.Rand) *T { return Pick(r, b.All()...) }

// Pick returns one of these, and the zero value of none. What is there twice is twice as likely.
func Pick[T any](r *rand.Rand, of ...T) (one T) {
	if len(of) > 0 {
		one = of[r.IntN(len(of))]
	}
	return one
}

// Milliseconds returns so many of them, from least to most.
func Milliseconds(r *rand.Rand, least, most int) time.Duration {
	return time.Duration(least+r.IntN(most-least+1)) * time.Millisecond
}

// ErrTask is what goes wrong on purpose.
var ErrTask = errors.New("not today")

// Act does what any task may do: it sleeps that long, yields, panics with ErrTask, or goexits. Where something else is asked for, it does
// nothing.
func Act(does string, length time.Duration) {
	switch does {
	case "sleeps":
		time.Sleep(length)
	case "yields":
		runtime.Gosched()
	case "panics":
		panic(ErrTask)
	case "goexits":
		runtime.Goexit()
	}
}

// Wait waits for the end of ctx, at most so long, and reports whether it has ended.
func Wait(ctx context.Context, most time.Duration) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(most):
		return false
	}
}
