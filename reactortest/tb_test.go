package reactortest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// fakeT records what a test would report.
type fakeT struct {
	testing.TB
	ctx      context.Context
	reports  []string
	cleanups []func()
	failed   bool
}

func (f *fakeT) Helper() {}
func (f *fakeT) Context() context.Context {
	if f.ctx != nil {
		return f.ctx
	}
	return context.Background()
}
func (f *fakeT) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *fakeT) Failed() bool      { return f.failed }
func (f *fakeT) Skipped() bool     { return false }
func (f *fakeT) Error(args ...any) {
	f.failed = true
	f.reports = append(f.reports, fmt.Sprint(args...))
}
func (f *fakeT) Errorf(format string, args ...any) { f.Error(fmt.Sprintf(format, args...)) }
func (f *fakeT) FailNow() {
	f.failed = true
	runtime.Goexit()
}
func (f *fakeT) Fatal(args ...any) {
	f.Error(args...)
	f.FailNow()
}
func (f *fakeT) Logf(format string, args ...any) {
	f.reports = append(f.reports, fmt.Sprintf(format, args...))
}
func (f *fakeT) Fatalf(format string, args ...any) { f.Fatal(fmt.Sprintf(format, args...)) }

// report runs fn as a test of its own, with its cleanups, and returns what it reported.
func report(fn func(t testing.TB)) string {
	f := &fakeT{}
	end := make(chan struct{})
	go func() {
		defer close(end)
		defer func() {
			for i := len(f.cleanups) - 1; i >= 0; i-- {
				f.cleanups[i]()
			}
		}()
		fn(f)
	}()
	<-end
	return strings.Join(f.reports, "\n")
}
