package locktest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/goreactor/reactor/keylock"
)

// Config is what [Run] has to know of a backend.
type Config struct {
	// Open returns two backends on one store without keys, as two processes would
	// have them. It is called once for each test, with that test.
	Open func(t *testing.T) (a, b keylock.Backend)
	// TTL is the time to live of records that tests let expire; it should be the
	// shortest that the store knows. 0 means a second. Other records live longer, so that
	// they are there while a test looks at them, also on a machine that is busy.
	TTL time.Duration
	// Late is how long after its time a record may go at most, and how long news
	// of it may take; 0 means two seconds.
	Late time.Duration
	// Around runs one test, for example in a bubble of testing/synctest. By
	// default it just calls it.
	Around func(t *testing.T, test func(t *testing.T))
	// Skip are names of tests that are not run, with the reason.
	Skip map[string]string
}

// Run checks that a backend keeps the contract of keylock.Backend, alone and under a
// keylock.Manager, in subtests of t. It takes some ten times Config.TTL and four times
// Config.Late.
func Run(t *testing.T, c Config) {
	if c.Open == nil {
		t.Fatal("locktest: Run: Open is nil")
	}
	if c.TTL == 0 {
		c.TTL = time.Second
	}
	if c.Late == 0 {
		c.Late = 2 * time.Second
	}
	if c.Around == nil {
		c.Around = func(t *testing.T, test func(t *testing.T)) { test(t) }
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if reason, ok := c.Skip[test.name]; ok {
				t.Skip(reason)
			}
			c.Around(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				a, b := c.Open(t)
				test.run(&trial{T: t, Config: c, ctx: ctx, a: a, b: b})
			})
		})
	}
}

var tests = []struct {
	name string
	run  func(t *trial)
}{
	{"AcquireFree", (*trial).acquireFree},
	{"AcquireHeld", (*trial).acquireHeld},
	{"ReleaseFrees", (*trial).releaseFrees},
	{"ReleaseByRevision", (*trial).releaseByRevision},
	{"RenewKeepsTheToken", (*trial).renewKeepsTheToken},
	{"RenewGivesTheWholeTime", (*trial).renewGivesTheWholeTime},
	{"ExpiryFrees", (*trial).expiryFrees},
	{"RenewAfterExpiry", (*trial).renewAfterExpiry},
	{"ReleaseAfterExpiry", (*trial).releaseAfterExpiry},
	{"TokensRiseOverAllKeys", (*trial).tokensRise},
	{"ReadSaysWhatIs", (*trial).readSaysWhatIs},
	{"WatchBeginsWithTheState", (*trial).watchBegins},
	{"WatchTellsReleaseFromExpiry", (*trial).watchTells},
	{"WatchIsOfOneKey", (*trial).watchIsOfOneKey},
	{"WatchEnds", (*trial).watchEnds},
	{"KeysAreExact", (*trial).keysAreExact},
	{"EndedContext", (*trial).endedContext},
	{"OneOfManyWins", (*trial).oneOfManyWins},
	{"ManagersExclude", (*trial).managersExclude},
	{"ManagersRenew", (*trial).managersRenew},
	{"ManagersHandOver", (*trial).managersHandOver},
}

// trial is one test.
type trial struct {
	*testing.T
	Config
	ctx  context.Context
	a, b keylock.Backend
	n    int // requests so far
}

// lasting is the time to live of a record that is to be there until the test has looked.
func (t *trial) lasting() time.Duration { return max(t.TTL, time.Minute) }

// try asks b for key, with the revision that Read returns if the key is free.
func (t *trial) try(b keylock.Backend, key string) (keylock.Grant, error) {
	return t.tryFor(b, key, t.lasting())
}

func (t *trial) tryFor(b keylock.Backend, key string, ttl time.Duration) (keylock.Grant, error) {
	t.n++
	r := keylock.Request{Key: key, Owner: "locktest", Nonce: fmt.Sprintf("nonce-%d", t.n), TTL: ttl}
	if ev := t.read(key); ev.Kind != keylock.Occupied {
		r.Revision = ev.Revision
	}
	return b.TryAcquire(t.ctx, r)
}

// get is try where it has to succeed.
func (t *trial) get(b keylock.Backend, key string) keylock.Grant {
	t.Helper()
	return t.getFor(b, key, t.lasting())
}

// brief is get for a record that expires soon.
func (t *trial) brief(b keylock.Backend, key string) keylock.Grant {
	t.Helper()
	return t.getFor(b, key, t.TTL)
}

func (t *trial) getFor(b keylock.Backend, key string, ttl time.Duration) keylock.Grant {
	t.Helper()
	g, err := t.tryFor(b, key, ttl)
	if err != nil {
		t.Fatalf("TryAcquire of a free key: %v", err)
	}
	return g
}

func (t *trial) read(key string) keylock.Event {
	t.Helper()
	ev, err := t.a.Read(t.ctx, key)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return ev
}

func (t *trial) release(b keylock.Backend, g keylock.Grant) {
	t.Helper()
	if err := b.Release(t.ctx, g); err != nil {
		t.Fatalf("Release: %v", err)
	}
}

func (t *trial) renew(b keylock.Backend, g keylock.Grant) keylock.Grant {
	t.Helper()
	next, err := b.Renew(t.ctx, g, t.lasting())
	if err != nil {
		t.Fatalf("Renew: %v", err)
	}
	return next
}

// inTime makes attempts until one is not late. A record lives for Config.TTL from a time on that
// is not known exactly: whoever looks later than that after having asked for it can't tell whether it has gone too
// early.
func (t *trial) inTime(attempt func() (late bool)) {
	t.Helper()
	for range 20 {
		if !attempt() {
			return
		}
	}
	t.Fatalf("the backend, or the machine, is too slow for records that live for %v", t.TTL)
}

func (t *trial) watch(b keylock.Backend, key string) <-chan keylock.Event {
	t.Helper()
	ch, err := b.Watch(t.ctx, key)
	if err != nil {
		t.Fatalf("Watch: %v", err)
	}
	return ch
}

// next returns the next event of a watch that is of one of the kinds.
func (t *trial) next(ch <-chan keylock.Event, kinds ...keylock.EventKind) keylock.Event {
	t.Helper()
	late := time.After(t.TTL + t.Late)
	for {
		select {
		case ev, ok := <-ch:
			if !ok {
				t.Fatalf("Watch: the channel was closed, waiting for %v", kinds)
			}
			for _, k := range kinds {
				if ev.Kind == k {
					return ev
				}
			}
		case <-late:
			t.Fatalf("Watch: none of %v came within %v", kinds, t.TTL+t.Late)
		}
	}
}

// isHeld checks that an error says for certain that it was not done.
func (t *trial) isHeld(what string, err error) {
	t.Helper()
	if !errors.Is(err, keylock.ErrHeld) {
		t.Errorf("%s: an error that matches ErrHeld expected but it was %v", what, err)
	}
}

// occupied reports whether the key has the record of g.
func (t *trial) occupied(g keylock.Grant) bool {
	t.Helper()
	ev := t.read(g.Key)
	return ev.Kind == keylock.Occupied && ev.Grant.Nonce == g.Nonce
}

func (t *trial) acquireFree() {
	g, err := t.a.TryAcquire(t.ctx, keylock.Request{Key: "k", Owner: "me", Nonce: "n1", TTL: t.lasting()})
	if err != nil {
		t.Fatalf("TryAcquire: %v", err)
	}
	if g.Key != "k" || g.Owner != "me" || g.Nonce != "n1" || g.Token == 0 || g.Revision == 0 {
		t.Errorf("TryAcquire: key, owner and nonce of the request, a token and a revision expected but it was %+v", g)
	}
	if ev := t.read("k"); ev.Kind != keylock.Occupied || ev.Grant != g {
		t.Errorf("Read: the record %+v expected but it was %+v", g, ev)
	}
}

func (t *trial) acquireHeld() {
	g := t.get(t.a, "k")
	for _, b := range []keylock.Backend{t.a, t.b} {
		_, err := t.try(b, "k")
		t.isHeld("TryAcquire of a key that is held", err)
		_, err = b.TryAcquire(t.ctx, keylock.Request{Key: "k", Owner: "locktest", Nonce: "other", TTL: t.lasting()})
		t.isHeld("TryAcquire without a revision", err)
		// Such a request may have been sent twice: then it is not certain that it was
		// not done.
		if _, err = b.TryAcquire(t.ctx, keylock.Request{Key: "k", Owner: g.Owner, Nonce: g.Nonce, TTL: t.lasting()}); err == nil {
			t.Error("TryAcquire with the nonce of the record: an error expected but it was nil")
		}
	}
	if !t.occupied(g) {
		t.Error("the record is not that of the holder any more")
	}
}

func (t *trial) releaseFrees() {
	g := t.get(t.a, "k")
	t.release(t.a, g)
	if ev := t.read("k"); ev.Kind == keylock.Occupied {
		t.Errorf("Read after a release: %+v", ev)
	}
	next := t.get(t.b, "k")
	if next.Token <= g.Token {
		t.Errorf("a token above %d expected but it was %d", g.Token, next.Token)
	}
	if again := t.b.Release(t.ctx, g); again != nil {
		t.isHeld("a second Release", again)
	}
	if !t.occupied(next) {
		t.Error("a second Release has taken the key from its next holder")
	}
}

func (t *trial) releaseByRevision() {
	old := t.get(t.a, "k")
	g := t.renew(t.a, old)
	if g.Revision != old.Revision {
		t.isHeld("Release with an old revision", t.a.Release(t.ctx, old))
		if !t.occupied(g) {
			t.Error("Release with an old revision has removed the record")
		}
		_, err := t.a.Renew(t.ctx, old, t.lasting())
		t.isHeld("Renew with an old revision", err)
	}
	t.release(t.a, g)
}

func (t *trial) renewKeepsTheToken() {
	g := t.get(t.a, "k")
	for range 3 {
		next := t.renew(t.a, g)
		if next.Token != g.Token || next.Nonce != g.Nonce || next.Key != g.Key || next.Revision < g.Revision {
			t.Errorf("Renew: the grant with a revision that is not lower expected but it was %+v after %+v", next, g)
		}
		if ev := t.read("k"); ev.Kind != keylock.Occupied || ev.Grant != next || ev.Revision != next.Revision {
			t.Errorf("Read: the record %+v expected but it was %+v", next, ev)
		}
		g = next
	}
}

func (t *trial) renewGivesTheWholeTime() {
	var g keylock.Grant
	t.inTime(func() (late bool) {
		asked := time.Now()
		g = t.brief(t.a, "k")
		for range 4 {
			time.Sleep(t.TTL * 6 / 10)
			again := time.Now()
			next, err := t.a.Renew(t.ctx, g, t.TTL)
			if err != nil && time.Since(asked) >= t.TTL {
				return true
			} else if err != nil {
				t.Fatalf("Renew: %v", err)
			}
			g, asked = next, again
		}
		time.Sleep(t.TTL * 8 / 10)
		if t.occupied(g) {
			return false
		}
		if time.Since(asked) < t.TTL {
			t.Error("the record has gone before its time to live was over, counted from the last renewal")
			return false
		}
		return true
	})
	time.Sleep(t.TTL*2/10 + t.Late)
	if t.occupied(g) {
		t.Errorf("the record is there %v after the last renewal", t.TTL+t.Late)
	}
}

func (t *trial) expiryFrees() {
	var g keylock.Grant
	t.inTime(func() (late bool) {
		asked := time.Now()
		g = t.brief(t.a, "k")
		time.Sleep(t.TTL * 8 / 10)
		if t.occupied(g) {
			return false
		}
		if time.Since(asked) < t.TTL {
			t.Fatal("the record has gone before its time to live was over")
		}
		return true
	})
	time.Sleep(t.TTL*2/10 + t.Late)
	if ev := t.read("k"); ev.Kind == keylock.Occupied || ev.Kind == keylock.Released {
		t.Fatalf("Read after an expiry: %+v", ev)
	}
	if next := t.get(t.b, "k"); next.Token <= g.Token {
		t.Errorf("a token above %d expected but it was %d", g.Token, next.Token)
	}
}

func (t *trial) renewAfterExpiry() {
	g := t.brief(t.a, "k")
	time.Sleep(t.TTL + t.Late)
	_, err := t.a.Renew(t.ctx, g, t.lasting())
	t.isHeld("Renew after the expiry", err)
	next := t.get(t.b, "k")
	_, err = t.a.Renew(t.ctx, g, t.lasting())
	t.isHeld("Renew of a key that has another holder", err)
	if !t.occupied(next) {
		t.Error("Renew has changed the record of the next holder")
	}
}

func (t *trial) releaseAfterExpiry() {
	g := t.brief(t.a, "k")
	time.Sleep(t.TTL + t.Late)
	next := t.get(t.b, "k")
	if err := t.a.Release(t.ctx, g); err != nil {
		t.isHeld("Release after the expiry", err)
	}
	if !t.occupied(next) {
		t.Error("Release has removed the record of the next holder")
	}
}

func (t *trial) tokensRise() {
	last := uint64(0)
	for i := range 6 {
		g := t.get(t.a, fmt.Sprintf("k%d", i%3))
		if g.Token <= last {
			t.Errorf("a token above %d expected but it was %d", last, g.Token)
		}
		g = t.renew(t.a, g)
		t.release(t.a, g)
		last = g.Token
	}
}

func (t *trial) readSaysWhatIs() {
	if ev := t.read("never"); ev != (keylock.Event{}) {
		t.Errorf("Read of a key that never was: nothing expected but it was %+v", ev)
	}
	g := t.get(t.a, "k")
	t.release(t.a, g)
	if ev := t.read("k"); ev.Kind != keylock.Released && ev.Kind != keylock.Vacant {
		t.Errorf("Read after a release: %+v", ev)
	}
}

func (t *trial) watchBegins() {
	t.next(t.watch(t.a, "k"), keylock.Vacant)
	g := t.get(t.a, "k")
	if ev := t.next(t.watch(t.b, "k"), keylock.Occupied); ev.Grant != g {
		t.Errorf("Watch: the record %+v expected but it was %+v", g, ev)
	}
	t.release(t.a, g)
	t.next(t.watch(t.b, "k"), keylock.Released, keylock.Vacant)
}

func (t *trial) watchTells() {
	ch := t.watch(t.b, "k")
	g := t.get(t.a, "k")
	if ev := t.next(ch, keylock.Occupied); ev.Grant.Nonce != g.Nonce {
		t.Errorf("Watch: the record %+v expected but it was %+v", g, ev)
	}
	t.release(t.a, g)
	freed := t.next(ch, keylock.Released, keylock.Expired)
	if freed.Kind != keylock.Released {
		t.Errorf("Watch: a release expected but it was %+v", freed)
	}
	start := time.Now()
	g, err := t.b.TryAcquire(t.ctx, keylock.Request{Key: "k", Owner: "b", Nonce: "after-release", TTL: t.TTL, Revision: freed.Revision})
	if err != nil {
		t.Fatalf("TryAcquire with the revision of the event: %v", err)
	}
	freed = t.next(ch, keylock.Released, keylock.Expired) // a record that is occupied is told of first, unless it has expired
	if freed.Kind != keylock.Expired {
		t.Errorf("Watch: an expiry expected but it was %+v", freed)
	}
	if early := time.Since(start); early < t.TTL*8/10 {
		t.Errorf("Watch: the expiry came after %v, the time to live is %v", early, t.TTL)
	}
	if _, err = t.a.TryAcquire(t.ctx, keylock.Request{Key: "k", Owner: "a", Nonce: "after-expiry", TTL: t.lasting(), Revision: freed.Revision}); err != nil {
		t.Errorf("TryAcquire with the revision of the event, after %+v: %v", g, err)
	}
}

func (t *trial) watchIsOfOneKey() {
	ch := t.watch(t.b, "k")
	t.next(ch, keylock.Vacant)
	for _, other := range []string{"k.x", "kk", "K", "*", ">"} {
		if g, err := t.try(t.a, other); err == nil {
			t.release(t.a, g)
		}
	}
	g := t.get(t.a, "k")
	if ev := <-ch; ev.Kind != keylock.Occupied || ev.Grant.Nonce != g.Nonce {
		t.Errorf("Watch: the record of k expected but it was %+v", ev)
	}
}

func (t *trial) watchEnds() {
	ctx, cancel := context.WithCancel(t.ctx)
	ch, err := t.b.Watch(ctx, "k")
	if err != nil {
		t.Fatalf("Watch: %v", err)
	}
	cancel()
	late := time.After(t.Late)
	for {
		select {
		case _, ok := <-ch:
			if !ok {
				return
			}
		case <-late:
			t.Fatalf("Watch: the channel is open %v after the end of the context", t.Late)
		}
	}
}

func (t *trial) keysAreExact() {
	seen := map[string]string{} // nonce to key
	keys := []string{
		"", "a", "A", "a ", " a", "a.b", "a..b", ".a", "a.", "a*", "a>", "*", ">", "a/b", "a\\b", "ä", "a\x00b", "\xff\xfe",
		"a\nb", "a=b", "a_b", "_", "__", "%41", "键", strings.Repeat("x", 60), strings.Repeat("x", 61),
	}
	for _, key := range keys {
		g, err := t.try(t.a, key)
		switch {
		case err == nil:
			if g.Key != key {
				t.Errorf("the key %q became %q", key, g.Key)
			}
			seen[g.Nonce] = key
		case !errors.Is(err, reactor.ErrIllegalArgument):
			t.Errorf("the key %q: a grant, or an error that matches reactor.ErrIllegalArgument, expected but it was %v", key, err)
		}
	}
	for nonce, key := range seen {
		if ev := t.read(key); ev.Kind != keylock.Occupied || ev.Grant.Nonce != nonce {
			t.Errorf("the key %q is not told from others: %+v", key, ev)
		}
	}
	if len(seen) < 2 {
		t.Error("hardly any key can be used")
	}
}

func (t *trial) endedContext() {
	ctx, cancel := context.WithCancel(t.ctx)
	cancel()
	g := t.get(t.a, "k")
	checks := map[string]error{}
	_, checks["TryAcquire"] = t.a.TryAcquire(ctx, keylock.Request{Key: "x", Owner: "o", Nonce: "n", TTL: t.lasting()})
	_, checks["Renew"] = t.a.Renew(ctx, g, t.lasting())
	checks["Release"] = t.a.Release(ctx, g)
	_, checks["Read"] = t.a.Read(ctx, "k")
	for op, err := range checks {
		if err == nil || errors.Is(err, keylock.ErrHeld) || errors.Is(err, reactor.ErrIllegalArgument) {
			t.Errorf("%s with a context that has ended: an error that is no answer expected but it was %v", op, err)
		}
	}
}

func (t *trial) oneOfManyWins() {
	for round := range 10 {
		key := fmt.Sprintf("k%d", round%3)
		revision := t.read(key).Revision
		var won atomic.Int32
		var winner atomic.Pointer[keylock.Grant]
		var all sync.WaitGroup
		for i := range 16 {
			b := t.a
			if i%2 == 1 {
				b = t.b
			}
			all.Go(func() {
				g, err := b.TryAcquire(t.ctx, keylock.Request{
					Key: key, Owner: "locktest", Nonce: fmt.Sprintf("r%d-%d", round, i), TTL: t.lasting(), Revision: revision,
				})
				if err == nil {
					won.Add(1)
					winner.Store(&g)
				} else if !errors.Is(err, keylock.ErrHeld) {
					t.Errorf("TryAcquire: %v", err)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Fatalf("round %d: one winner expected but there were %d", round, won.Load())
		}
		t.release(t.a, *winner.Load())
	}
}

// managers returns two managers, one on each backend.
func (t *trial) managers(ttl time.Duration) (a, b *keylock.Manager) {
	t.Helper()
	list := make([]*keylock.Manager, 2)
	for i, backend := range []keylock.Backend{t.a, t.b} {
		m, err := keylock.New(keylock.WithBackend(backend, ttl), keylock.WaitTime(time.Minute), keylock.LeaseTime(0))
		if err != nil {
			t.Fatalf("New: %v", err)
		}
		list[i] = m
		t.Cleanup(m.Close)
	}
	return list[0], list[1]
}

func (t *trial) managersExclude() {
	a, b := t.managers(t.lasting())
	var inside, count atomic.Int32
	var last atomic.Uint64
	var all sync.WaitGroup
	for i := range 8 {
		m := a
		if i%2 == 1 {
			m = b
		}
		all.Go(func() {
			for range 5 {
				_, err := m.Do(t.ctx, "k", func(_ context.Context, l keylock.Lease) (int, error) {
					if inside.Add(1) != 1 {
						t.Error("two hold the key")
					}
					if before := last.Swap(l.Token()); before >= l.Token() {
						t.Errorf("token %d came after %d", l.Token(), before)
					}
					count.Add(1)
					inside.Add(-1)
					return 0, nil
				})
				if err != nil {
					t.Errorf("Do: %v", err)
				}
			}
		})
	}
	all.Wait()
	if count.Load() != 40 {
		t.Errorf("40 calls expected but there were %d", count.Load())
	}
	t.shutdown(a, b)
}

func (t *trial) managersRenew() {
	ttl := max(t.TTL, time.Second)
	a, b := t.managers(ttl)
	t.inTime(func() (late bool) {
		l, err := a.Acquire(t.ctx, "k")
		if err != nil {
			t.Fatalf("Acquire: %v", err)
		}
		defer l.Release()
		clock, stop := awake.Start()
		time.Sleep(ttl * 5 / 2)
		stood := clock.Still()
		stop()
		if other, ok := b.TryAcquire("k"); ok {
			if l.Valid() {
				t.Error("two hold the key")
			}
			other.Release()
		}
		if !l.Valid() || l.Context().Err() != nil {
			if stood < ttl/10 {
				t.Errorf("the key was lost while it should have been renewed: %v", context.Cause(l.Context()))
			}
			return stood >= ttl/10
		}
		l.Release()
		next, ok := b.TryAcquire("k")
		if !ok || next.Token() <= l.Token() {
			t.Errorf("after the release a grant with a token above %d expected but it was %v", l.Token(), next)
		}
		next.Release()
		return false
	})
	t.shutdown(a, b)
}

func (t *trial) managersHandOver() {
	a, b := t.managers(t.lasting())
	l, err := a.Acquire(t.ctx, "k")
	if err != nil {
		t.Fatalf("Acquire: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		next, err := b.Acquire(t.ctx, "k")
		if err == nil && next.Token() <= l.Token() {
			err = fmt.Errorf("token %d came after %d", next.Token(), l.Token())
		}
		next.Release()
		got <- err
	}()
	time.Sleep(t.TTL / 2)
	l.Release()
	if err := <-got; err != nil {
		t.Errorf("Acquire: %v", err)
	}
	t.shutdown(a, b)
}

// shutdown checks that nothing is left.
func (t *trial) shutdown(managers ...*keylock.Manager) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, 10*time.Second)
	defer cancel()
	for _, m := range managers {
		if err := m.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if s := m.Stats(); s.Holders != 0 || s.Waiters != 0 {
			t.Errorf("something is left: %v", s)
		}
	}
}
