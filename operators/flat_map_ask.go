package operators

// Upstream is asked for publishers with the drain left, see asking.Behind.

// run announces work, and does it unless another goroutine drains, or is about to
// drain.
func (m *flatMapMain[R]) run() {
	if m.asking.Here() {
		m.asking.Pass()
	} else if m.drain.Announce() {
		m.loop()
	}
}

// loop drains, and leaves the drain. The caller has it.
func (m *flatMapMain[R]) loop() {
	m.drain.Loop(m)
	m.asking.Ask(m)
}

// leave gives the drain up, and asks for n more publishers.
func (m *flatMapMain[R]) leave(n int64) {
	m.drain.Leave(m)
	if m.asking.Due() {
		m.ask(n)
	} else {
		m.request(n)
	}
}

// ask asks for as many publishers as passes have made room for, and for n more.
func (m *flatMapMain[R]) ask(n int64) {
	defer m.request(n) // also if a function that hears of a request ends the goroutine
	m.asking.Ask(m)
}

func (m *flatMapMain[R]) request(n int64) {
	if n > 0 && !m.stop.Load() {
		m.up.Request(n)
	}
}

// AskFor implements asking.Stage, as does the next.
func (m *flatMapMain[R]) AskFor(n int64) {
	if !m.done.Load() {
		m.request(n)
	}
}

func (m *flatMapMain[R]) PassAgain() { m.drain.Run(m) }
