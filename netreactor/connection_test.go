package netreactor

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page is a paper on which a test says what happens.
type page struct {
	*paper
	onStart     func()
	onPull      func() bool
	onWrite     func(out *output) (bool, error)
	onReplenish func() bool
	onShut      func()
	onClose     func()
	onLeave     func()
	onUnread    func()
	onHurry     func() bool
	onArm       func()
	isLosing    bool
	lingers     bool
	isIdle      bool // also silent
}

func (p *page) start() {
	if p.onStart != nil {
		p.onStart()
	}
}

func (p *page) pull(*runner) bool { return p.onPull != nil && p.onPull() }
func (p *page) pulls() bool       { return p.onPull != nil }
func (p *page) wants() bool       { return p.onPull != nil }
func (p *page) replenish() bool   { return p.onReplenish != nil && p.onReplenish() }
func (p *page) idle() bool        { return p.isIdle }
func (p *page) silent() bool      { return p.isIdle }

func (p *page) write(out *output) (bool, error) {
	if p.onWrite != nil {
		return p.onWrite(out)
	}
	return p.paper.write(out)
}

func (p *page) resume(out *output) (bool, error) { return p.write(out) }

func (p *page) shut(bool) {
	if p.onShut != nil {
		p.onShut()
	}
}

func (p *page) arm(bool) {
	if p.onArm != nil {
		p.onArm()
	}
}

func (p *page) losing() bool { return p.isLosing }
func (p *page) finish() bool { return p.lingers }
func (p *page) hurry() bool  { return p.onHurry != nil && p.onHurry() }

func (p *page) unread() bool {
	if p.onUnread != nil {
		p.onUnread()
	}
	return false
}

func (p *page) leave() {
	if p.onLeave != nil {
		p.onLeave()
	}
}

func (p *page) close() {
	if p.onClose != nil {
		p.onClose()
	}
}

// paged returns a connection of an engine of its own that is what p says.
func paged(t *testing.T, p *page) *connection {
	eng := engineFor(t, FirstFrameTimeout(0))
	c := bookkept(t, eng)
	p.paper = c.tr.(*paper)
	c.tr, c.ses = p, p
	require.True(t, eng.loops[0].add(c))
	t.Cleanup(func() {
		if eng.expirer.n > 0 { // it has not been freed
			eng.expirer.remove(c)
		}
	})
	return c
}

// endless returns a function that answers true, not for ever, and counts.
func endless(n *int) func() bool {
	return func() bool {
		*n++
		return *n < 1000
	}
}

// TestOthersHaveTheirTurn: a pass ends though the peer sends on, or there is always something to answer, and is made again.
func TestOthersHaveTheirTurn(t *testing.T) {
	pulls, replenished := 0, 0
	c := paged(t, &page{onPull: endless(&pulls)})
	assert.True(t, c.pass(nil, workRead))
	assert.Equal(t, passReads, pulls)

	c = paged(t, &page{onReplenish: endless(&replenished)})
	assert.True(t, c.pass(nil, workRequest))
	assert.Equal(t, passRounds, replenished)

	pulls = 0
	c = paged(t, &page{onPull: endless(&pulls)})
	c.closed, c.lingering = true, true
	assert.True(t, c.pass(nil, workRead), "what lingers, too")
	assert.Equal(t, passReads, pulls)
}

// TestWhatLingersEnds when the peer has closed, too, or a server waits no longer.
func TestWhatLingersEnds(t *testing.T) {
	for name, end := range map[string]func(c *connection){
		"the peer has closed":    func(c *connection) { c.gone = true },
		"the server has stopped": func(c *connection) { c.eng.cutting.Store(&CloseError{Reason: ReasonCut}) },
	} {
		pulls, shut := 0, 0
		c := paged(t, &page{onPull: endless(&pulls), onShut: func() { shut++ }})
		c.closed, c.lingering = true, true
		end(c)
		assert.False(t, c.pass(nil, workRead), name)
		assert.Zero(t, pulls, name)
		require.Equal(t, 1, shut, name)
		assert.False(t, c.lingering, name)
		c.eng.live.Wait()
	}
}

// TestAShutdownWaitsForWhoHearsOfTheEnd: the place of a connection is free when everybody has heard.
func TestAShutdownWaitsForWhoHearsOfTheEnd(t *testing.T) {
	var told []string
	p := &page{onClose: func() { told = append(told, "closed") }}
	c := paged(t, p)
	c.eng.freed = func() {
		assert.Error(t, c.context().Err())
		told = append(told, "freed")
	}
	c.shut(&CloseError{Reason: ReasonClosed}, false)
	assert.Equal(t, []string{"closed", "freed"}, told)
	assert.Zero(t, c.eng.report.ShutdownReport, "that is no shutdown")
}

// TestTheLastWords of a handler are written, also those that are sent while others are written.
func TestTheLastWords(t *testing.T) {
	var c *connection
	var words []string
	say := func(word string) { assert.True(t, c.send(append(takeBuffer(len(word)), word...))) }
	p := &page{isIdle: true}
	p.onLeave = func() { say("good") }
	p.onWrite = func(out *output) (bool, error) {
		if len(words) == 0 {
			say("bye")
		}
		words = append(words, string(out.first()))
		out.wrote(out.size)
		return false, nil
	}
	c = paged(t, p)
	c.eng.cutting.Store(&CloseError{Reason: ReasonCut})
	c.eng.draining.Store(true)
	c.state.Store(owned | token())
	assert.False(t, c.pass(nil, workClose))
	assert.Equal(t, []string{"good", "bye"}, words)
	assert.Equal(t, ShutdownReport{Drained: 1}, c.eng.report.ShutdownReport)
	assert.False(t, c.send(append(takeBuffer(1), '!')), "it has ended")
}

// TestAPeerThatLoses what was written, because it sends on and the system resets the connection for that, is told of as one that was cut.
func TestAPeerThatLoses(t *testing.T) {
	for _, losing := range []bool{true, false} {
		want := ShutdownReport{Drained: 1}
		if losing {
			want = ShutdownReport{Cut: 1}
		}
		c := paged(t, &page{isIdle: true, isLosing: losing})
		c.eng.draining.Store(true)
		c.eng.cutting.Store(&CloseError{Reason: ReasonCut})
		assert.False(t, c.pass(nil, workClose))
		assert.Equal(t, want, c.eng.report.ShutdownReport)

		for _, draining := range []bool{true, false} {
			c = paged(t, &page{isLosing: losing, lingers: true})
			c.eng.draining.Store(draining)
			c.shut(&CloseError{Reason: ReasonShutdown}, true)
			require.True(t, c.lingering)
			c.eng.draining.Store(true)
			c.eng.cutting.Store(&CloseError{Reason: ReasonCut})
			assert.False(t, c.pass(nil, workClose))
			if !draining {
				want = ShutdownReport{} // it had ended before
			}
			assert.Equal(t, want, c.eng.report.ShutdownReport, "it lingered")
		}
	}
}

// TestACloseWaitsForWhoWrites elsewhere: that may have written all, and is about to say so.
func TestACloseWaitsForWhoWrites(t *testing.T) {
	hurried := 0
	p := &page{isIdle: true, onHurry: func() bool { hurried++; return hurried == 1 }}
	p.onWrite = func(out *output) (bool, error) {
		if hurried > 0 {
			out.wrote(out.size)
		}
		return hurried == 0, nil
	}
	c := paged(t, p)
	assert.True(t, c.send(append(takeBuffer(1), 'x')))
	c.eng.draining.Store(true)
	c.eng.cutting.Store(&CloseError{Reason: ReasonCut})
	assert.False(t, c.pass(nil, workClose))
	assert.False(t, c.closed)
	assert.False(t, c.pass(nil, workWrite))
	assert.True(t, c.closed)
	assert.Equal(t, ShutdownReport{Drained: 1}, c.eng.report.ShutdownReport)
}

// TestFiguresOfACut: what a pass has sent before it was cut short counts, and nothing is sent that does not.
func TestFiguresOfACut(t *testing.T) {
	c := paged(t, &page{})
	c.delivered.Store(4)
	c.inline = 3
	c.fail(ReasonHandlerFailed, nil)
	c.eng.draining.Store(true)
	c.eng.cutting.Store(&CloseError{Reason: ReasonCut})
	assert.False(t, c.pass(nil, workMore))
	assert.EqualValues(t, 3, c.answered.Load())
	assert.False(t, c.send(append(takeBuffer(1), 'x')), "it would be dropped")
	assert.EqualValues(t, 3, c.answered.Load())
}

// TestNothingIsSentBehindTheLastLook: what comes when a connection has looked into its inbox for the last time is refused, since nobody
// would write it.
func TestNothingIsSentBehindTheLastLook(t *testing.T) {
	p := &page{}
	c := paged(t, p)
	looked := false
	p.onUnread = func() {
		looked = true
		assert.False(t, c.send(append(takeBuffer(1), 'x')))
	}
	c.watch.touched.Store(-int64(2 * lingerTime)) // nothing has come recently
	c.finish.Store(&CloseError{Reason: ReasonClosed})
	assert.False(t, c.pass(nil, workClose))
	assert.True(t, c.closed)
	assert.True(t, looked)
}

// TestALightPassLeavesTheEnd to a full one: no other comes by itself.
func TestALightPassLeavesTheEnd(t *testing.T) {
	broken := errors.New("broken pipe")
	c := paged(t, &page{onWrite: func(*output) (bool, error) { return false, broken }})
	assert.True(t, c.send(append(takeBuffer(1), 'x')))
	assert.Len(t, c.ses.(*page).submitted, 1, "a write has failed")
	assert.ErrorIs(t, c.err(), broken)

	blocked := true
	p := &page{}
	p.onWrite = func(out *output) (bool, error) {
		if blocked {
			return true, nil
		}
		return p.paper.write(out)
	}
	c = paged(t, p)
	assert.True(t, c.send(append(takeBuffer(1), 'x')))
	c.mute.Store(true) // CloseWrite
	assert.Empty(t, p.submitted)
	blocked = false
	c.enter(workWrite)
	assert.Len(t, p.submitted, 1, "all is written, which the peer is to hear")

	blocked = true
	c = paged(t, p)
	c.in.end = true // the peer has closed its side, and nothing is to be answered
	assert.True(t, c.send(append(takeBuffer(1), 'x')))
	assert.Empty(t, p.submitted)
	blocked = false
	c.enter(workWrite)
	assert.Len(t, p.submitted, 1, "all is written: the connection may end")
}

// TestABrokenServerCuts also connections with nothing left to do: each hears why.
func TestABrokenServerCuts(t *testing.T) {
	for _, failure := range []error{nil, errors.New("no more events")} {
		c := paged(t, &page{isIdle: true})
		c.eng.draining.Store(true)
		cut := &CloseError{Reason: ReasonCut, Err: failure}
		c.eng.cutting.Store(cut)
		assert.False(t, c.pass(nil, workClose))
		if failure == nil {
			cut = &CloseError{Reason: ReasonShutdown}
		}
		assert.Equal(t, cut, c.context().Err())
	}
}

// TestAPauseBeginsWithTheHandler that is called: its time counts.
func TestAPauseBeginsWithTheHandler(t *testing.T) {
	p := &page{}
	c := paged(t, p)
	p.onStart = func() { assert.Equal(t, 1, c.stats().Paused) }
	c.pass(nil, workRequest)
	assert.Equal(t, 1, c.stats().Paused)
}

// TestWhatIsIgnoredIsNoMessage: half of one that the codec has taken is nobody's when the inbound is cancelled.
func TestWhatIsIgnoredIsNoMessage(t *testing.T) {
	c := newConn(Bytes(LengthPrefixed()))
	c.core.eng = engineFor(t)
	c.core.in.data, c.core.in.part = []byte("half"), true
	c.in.cancelled.Store(true)
	c.deliver()
	assert.Empty(t, c.core.in.data)
	assert.False(t, c.core.in.part)
	assert.True(t, c.wants(), "to hear of the end")
}

// TestWhatHasEndedIsNotWatched: the number of its socket may be that of another one by then.
func TestWhatHasEndedIsNotWatched(t *testing.T) {
	armed, shut := 0, 0
	c := paged(t, &page{onArm: func() { armed++ }, onShut: func() { shut++ }})
	c.pass(nil, workRequest)
	assert.Equal(t, 1, armed)
	c.fail(ReasonMalformed, nil)
	c.pass(nil, workClose)
	assert.Equal(t, 1, shut)
	assert.Equal(t, 1, armed)
}

// TestAnAbortComesBeforeTheLastWords of a server that waits for nobody: what waits to be written is dropped.
func TestAnAbortComesBeforeTheLastWords(t *testing.T) {
	p := &page{onWrite: func(*output) (bool, error) { t.Error("written"); return true, nil }}
	p.onLeave = func() { t.Error("delivered") }
	p.onHurry = func() bool { t.Error("waited"); return false }
	c := paged(t, p)
	c.out.add(append(takeBuffer(1), 'x'))
	c.fail(ReasonClosed, nil)
	c.eng.cutting.Store(&CloseError{Reason: ReasonCut})
	c.eng.draining.Store(true)
	c.pass(nil, workClose)
	assert.EqualValues(t, 1, c.loop.past.reasons[ReasonClosed])
	assert.Zero(t, c.eng.report.ShutdownReport)
}
