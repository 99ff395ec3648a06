package racetest

// Aside runs fn on a goroutine of its own, which fn may end by runtime.Goexit, and waits for that
// goroutine.
func Aside(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}
