package handed

import (
	"errors"
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Watched is seq for [iter.Pull]. A Goexit that ends the coroutine ends the goroutine that waits for it as well, by a call of its own.
// If a guard in the coroutine has dealt with it, left has what [Out] needs to know it by.
func Watched[T any](seq iter.Seq[T], left *error) iter.Seq[T] {
	return func(yield func(T) bool) {
		clean := false
		defer func() {
			if !clean {
				*left = failure.Recovered(nil) // a panic goes on: that of somebody else is no Goexit that was reported
			}
		}()
		seq(yield)
		clean = true
	}
}

// Out returns err, which a guard has found when it waited for a coroutine, or what the coroutine has left if that is the same Goexit, and
// was reported.
func Out(err, left error) error {
	if isGoexit(err) && failure.IsReported(left) {
		return left
	}
	return err
}

func isGoexit(err error) bool { return errors.Is(err, reactor.ErrGoexit) }
