package vectors

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

func TestNum(t *testing.T) {
	for text, want := range map[string]int64{
		`7`: 7, `-7`: -7, `[]`: 0, `[1,[2,3],-1]`: 5,
		`{"sig":"next","v":[4,5]}`: 9, `{"sig":"complete"}`: -1, `{"sig":"error","e":"boom:x"}`: -2,
		`9223372036854775807`: math.MaxInt64,
	} {
		assert.Equal(t, want, Num(decode([]byte(text))), text)
	}
}

func TestText(t *testing.T) {
	v := List(int64(1), List(), reactor.NextSignal[Value](List(int64(2), int64(3))), reactor.ErrorSignal[Value](Boom("x")),
		reactor.CompleteSignal[Value]())
	assert.Equal(t, "[1 [] next([2 3]) error(boom:x) complete()]", Text(v))
	assert.Equal(t, "string!(x)", Text("x"))
}

func TestKind(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{Boom("x"), "boom:x"},
		{&reactor.PanicError{Value: Boom("x")}, "boom:x"},
		{errors.Join(Boom("a"), reactor.ErrTimeout, Boom("b")), "composite:boom:a,timeout,boom:b"},
		{errors.Join(Boom("a"), errors.Join(Boom("b"), Boom("c"))), "composite:boom:a,composite:boom:b,boom:c"},
		{reactor.Failure("elementAt", reactor.ErrIndexOutOfRange, "index 7"), "indexOutOfBounds"},
		{&reactor.OpError{Op: "usingWhen", Kind: reactor.ErrCleanup, Cause: Boom("x")}, "asyncCleanup"},
		{reactor.TimeoutFailure("timeout", 0), "timeout"},
		{reactor.IllegalRequest(0), "illegalRequest"},
		{fmt.Errorf("wrapped: %w", Boom("x")), "boom:x"},
		{&reactor.PanicError{Value: "no error"}, "unknown!(reactor: panic: no error)"},
		{errors.New("x"), "unknown!(x)"},
		{nil, "nil!"},
	} {
		assert.Equal(t, c.want, Kind(c.err))
	}
}

func TestFunctions(t *testing.T) {
	fn := func(spec string, v Value) string {
		out, err := parseCall([]byte(spec)).fn()(v)
		if err != nil {
			return Kind(err)
		}
		return Text(out)
	}
	five := int64(5)
	for spec, want := range map[string]string{
		`["identity"]`: "[5]", `["num"]`: "5", `["add",2]`: "7", `["mul",-3]`: "-15", `["neg"]`: "-5", `["mod",-3]`: "-1",
		`["mod",3]`: "2", `["const",9]`: "9", `["pair",1]`: "[[5] 1]", `["failAt",5]`: "boom:boom", `["failAt",4]`: "[5]",
		`"num"`: "5",
	} {
		assert.Equal(t, want, fn(spec, List(five)), spec)
	}
	assert.Equal(t, "2", fn(`["mod",3]`, int64(-4)), "the modulus is floored")

	pred := func(spec string, v Value) string {
		ok, err := parseCall([]byte(spec)).pred()(v)
		return fmt.Sprintln(ok, err)
	}
	for spec, want := range map[string]bool{
		`["even"]`: false, `["odd"]`: true, `["lt",-2]`: true, `["gt",-4]`: true, `["gt",-3]`: false, `["eq",-3]`: true,
		`["modEq",4,1]`: true, `["true"]`: true, `["false"]`: false, `["failAt",3]`: true,
	} {
		assert.Equal(t, fmt.Sprintln(want, nil), pred(spec, int64(-3)), spec)
	}
	assert.Equal(t, "false boom:boom\n", pred(`["failAt",-3]`, int64(-3)))

	comb := func(spec string) string {
		out, err := parseCall([]byte(spec)).combine()(List(int64(1), int64(2)), int64(7))
		if err != nil {
			return Kind(err)
		}
		return Text(out)
	}
	for spec, want := range map[string]string{
		`["sum"]`: "10", `["sub"]`: "-4", `["max"]`: "7", `["min"]`: "3", `["second"]`: "7", `["pair"]`: "[[1 2] 7]",
		`["sumFailAt",10]`: "boom:boom", `["sumFailAt",9]`: "10",
	} {
		assert.Equal(t, want, comb(spec), spec)
	}

	iter := func(spec string, v int64) string {
		out, err := parseCall([]byte(spec)).iter()(v)
		if err != nil {
			return Kind(err)
		}
		return Text(out)
	}
	assert.Equal(t, "[50 51 52]", iter(`["range",3]`, 5))
	assert.Equal(t, "[50 51]", iter(`["modRange",3]`, 5))
	assert.Equal(t, "[]", iter(`["modRange",3]`, -3))
	assert.Equal(t, "boom:boom", iter(`["failAt",5]`, 5))
	assert.Equal(t, "[40 41]", iter(`["failAt",5]`, 4))
}

// vector runs a vector given by program, run and expectation.
func vector(t *testing.T, program, run, expect string) Result {
	t.Helper()
	v, err := Parse(`{"id":"x","class":"x","program":` + program + `,"run":` + run + `,"expect":` + expect + `}`)
	require.NoError(t, err)
	return Run(v)
}

const justOne = `{"src":{"op":"just","items":[1,2]}}`

func TestComparisonSeesEveryDifference(t *testing.T) {
	const run = `{"demand":[[0,1],[5,3]],"cancelAt":null,"until":10}`
	expect := func(signals, source, peek string) string {
		return `{"signals":[` + signals + `],"source":[` + source + `],"peek":[` + peek + `]}`
	}
	const (
		signals = `{"t":0,"next":1},{"t":5,"next":2},{"t":5,"complete":true}`
		source  = `{"t":0,"subscribe":true},{"t":0,"request":1},{"t":5,"request":3}`
	)
	res := vector(t, justOne, run, expect(signals, source, ""))
	require.True(t, res.Passed(Implementation), res.Report())

	split := strings.Replace(source, `{"t":5,"request":3}`, `{"t":5,"request":1},{"t":5,"request":2}`, 1)
	assert.True(t, vector(t, justOne, run, expect(signals, split, "")).Passed(Implementation), "requests count by their sum")

	for name, c := range map[string]struct {
		expect string
		tier   Tier
		reason string
	}{
		"value":        {expect(strings.Replace(signals, `2`, `3`, 1), source, ""), Semantics, "tier 1: signals: expected [5 next 3], got [5 next 2]"},
		"time":         {expect(strings.Replace(signals, `5`, `4`, 1), source, ""), Semantics, "tier 1: signals: expected [4 next 2], got [5 next 2]"},
		"missing":      {expect(signals+`,{"t":9,"next":1}`, source, ""), Semantics, "tier 1: signals: missing: [9 next 1]"},
		"too much":     {expect(`{"t":0,"next":1},{"t":5,"next":2}`, source, ""), Semantics, "tier 1: signals: too much: [5 complete]"},
		"subscription": {expect(signals, `{"t":0,"request":1},{"t":5,"request":3}`, ""), Semantics, "tier 1: source: too much: [0 subscribe]"},
		"demand":       {expect(signals, strings.Replace(source, `3`, `4`, 1), ""), Implementation, "tier 2: requests of the source: expected [5 request 4], got [5 request 3]"},
		"event":        {expect(signals, source, `{"t":1,"op":2,"ev":"first"}`), Semantics, "tier 1: peek: missing: [1 #2 first]"},
		"peek demand":  {expect(signals, source, `{"t":1,"op":2,"ev":"request","n":"unbounded"}`), Implementation, "tier 2: requests in peek: missing: [1 #2 request unbounded]"},
		"discard":      {expect(signals, source, `{"t":1,"op":2,"ev":"discard","v":[3]}`), Implementation, "tier 2: discarded: missing: [1 #2 discard v=[3]]"},
		"dropped":      {expect(signals, source, `{"t":1,"dropped":"error","e":"boom:x"}`), Implementation, "tier 2: dropped: missing: [1 #dropped error e=boom:x]"},
	} {
		t.Run(name, func(t *testing.T) {
			res := vector(t, justOne, run, c.expect)
			assert.Equal(t, c.tier != Semantics, res.Passed(Semantics))
			assert.False(t, res.Passed(Implementation))
			assert.Equal(t, c.reason, res.Reason())
			assert.Contains(t, res.Report(), "just(items=[1,2])")
		})
	}
}

func TestUnboundedDemandAbsorbs(t *testing.T) {
	e := func(t, n int64) Entry { return Entry{T: t, Text: "request", N: n} }
	assert.Equal(t, []Entry{e(0, reactor.Unbounded), e(1, 5)},
		demand([]Entry{e(0, 3), e(1, 2), e(0, reactor.Unbounded), e(1, 3), e(0, 7)}))
}

func TestUnwoundFailureIsACancellationOfTheSource(t *testing.T) {
	res := vector(t, `{"src":{"op":"just","items":[1,2]},"ops":[{"op":"map","fn":["failAt",1]}]}`,
		`{"demand":"unbounded","cancelAt":null,"until":3}`,
		`{"signals":[{"t":0,"error":"boom:boom"}],"source":[{"t":0,"subscribe":true},{"t":0,"request":"unbounded"},{"t":0,"cancel":true}],"peek":[]}`)
	assert.True(t, res.Passed(Implementation), res.Report())
}

func TestBothFormsOfAnOperatorRun(t *testing.T) {
	// The second form alone is wrong: it must be the reason.
	var tries []bool
	fn := fluxOps["map"]
	defer func() { fluxOps["map"] = fn }()
	delete(fluxOps, "map")
	RegisterFluxOp("map", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
		tries = append(tries, b.Try())
		if b.Try() {
			return f.Map(func(Value) Value { return int64(0) })
		}
		return f
	})
	res := vector(t, `{"src":{"op":"just","items":[1,2]},"ops":[{"op":"map","fn":["num"]}]}`,
		`{"demand":"unbounded","cancelAt":null,"until":3}`,
		`{"signals":[{"t":0,"next":1},{"t":0,"next":2},{"t":0,"complete":true}],"source":[{"t":0,"subscribe":true},{"t":0,"request":"unbounded"}],"peek":[]}`)
	assert.Equal(t, []bool{false, true}, tries)
	assert.Equal(t, "second form: tier 1: signals: expected [0 next 1], got [0 next 0]", res.Reason())
}

func TestFailingVectorsHarmOnlyThemselves(t *testing.T) {
	const (
		run    = `{"demand":"unbounded","cancelAt":null,"until":3}`
		expect = `{"signals":[],"source":[],"peek":[]}`
	)
	t.Run("operator missing", func(t *testing.T) {
		res := vector(t, `{"src":{"op":"just","items":[1]},"ops":[{"op":"noSuchOperator"}]}`, run, expect)
		assert.True(t, res.Missing())
		assert.Equal(t, "flux operator noSuchOperator does not exist yet", res.Reason())
	})
	t.Run("source missing", func(t *testing.T) {
		res := vector(t, `{"src":{"op":"noSuchSource"}}`, run, expect)
		assert.Equal(t, "source noSuchSource does not exist yet", res.Reason())
	})
	t.Run("panic at assembly", func(t *testing.T) {
		res := vector(t, `{"src":{"op":"range","start":1,"count":-1}}`, run, expect)
		assert.False(t, res.Missing())
		assert.Equal(t, "panic: reactor: range: count must not be negative, got -1", res.Reason())
	})
	t.Run("argument missing", func(t *testing.T) {
		res := vector(t, `{"src":{"op":"range","start":1}}`, run, expect)
		assert.Equal(t, "panic: vectors: range: the argument count is missing", res.Reason())
	})
	t.Run("no end", func(t *testing.T) {
		res := vector(t, `{"src":{"op":"range","start":1,"count":1000000}}`, run, expect)
		assert.Equal(t, "does not end: more than 200000 steps", res.Reason())
	})
}

func TestStrictSubscriber(t *testing.T) {
	res := vector(t, justOne, `{"demand":[[0,1],[3,-1],[5,1]],"cancelAt":null,"strict":true,"until":10}`,
		`{"signals":[{"t":0,"next":1},{"t":3,"error":"illegalRequest"}],"source":[{"t":0,"subscribe":true},{"t":0,"request":1},{"t":3,"cancel":true}],"peek":[]}`)
	assert.True(t, res.Passed(Implementation), res.Report())
}

func TestCancellationComesAfterRequests(t *testing.T) {
	res := vector(t, justOne, `{"demand":[[2,1]],"cancelAt":2,"until":10}`,
		`{"signals":[{"t":2,"next":1}],"source":[{"t":0,"subscribe":true},{"t":2,"request":1},{"t":2,"cancel":true}],"peek":[]}`)
	assert.True(t, res.Passed(Implementation), res.Report())
}

func TestLoadReadsFoldersAndKeepsWhatIsUnreadable(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	good := `{"id":"a-1","class":"a/b","program":` + justOne + `,"run":{"demand":"unbounded","cancelAt":null,"until":3},"expect":{"signals":[]}}`
	write("sub/a.jsonl", good+"\n\n{\"id\":1}\n")
	write("b.jsonl", `{"id":"b-1","class":"b/c","program":{},"run":{"demand":"much","until":3},"expect":{}}`)
	write("readme.md", "no vectors")
	vs, err := Load(dir)
	require.NoError(t, err)
	var got []string
	for _, v := range vs {
		got = append(got, v.File+" "+v.ID+" "+v.Class)
		assert.False(t, Run(v).Passed(Semantics))
		assert.Contains(t, Run(v).Report(), v.ID)
	}
	assert.Equal(t, []string{"b.jsonl b.jsonl:1 unreadable", "a.jsonl a-1 a/b", "a.jsonl a.jsonl:3 unreadable"}, got)
	_, err = Load(t.TempDir())
	assert.ErrorContains(t, err, "no *.jsonl files in ")
	_, err = Load(filepath.Join(dir, "nowhere"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
