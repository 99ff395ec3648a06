package keylock

// method is the method of the manager that made a hold.
type method uint8

const (
	byDo method = iota
	byDoAll
	byAcquire
	byTryAcquire
	byMono
	byFlux
	byGrant
)

func (m method) String() string {
	return [...]string{"Do", "DoAll", "Acquire", "TryAcquire", "Mono", "Flux", "Grant"}[m]
}

// blocking returns the name for errors of package reactor.
func (m method) blocking() string {
	return [...]string{
		"keylock.Do", "keylock.DoAll", "keylock.Acquire", "keylock.TryAcquire", "keylock.Mono", "keylock.Flux", "keylock.Grant",
	}[m]
}
