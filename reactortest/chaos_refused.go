package reactortest

// refused takes t back unless it was accepted, or its turn has come all the same.
func (l *chaosLane) refused(turn *chaosTurn, t *chaosTask, accepted *bool) {
	if *accepted {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !turn.taken {
		turn.task = nil
		l.finish(t)
	}
}
