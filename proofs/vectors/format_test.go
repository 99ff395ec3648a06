package vectors

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// format lists what FORMAT.md has, with the arguments of each, "name: a b". A line
// with arguments that exclude each other stands once for each choice. What an
// argument looks like is in samples, or follows it: "fn=["sum"]".
const format = `
source just: items
source range: start count
source empty:
source never:
source error: msg
source fromIterable: items
source interval: initial period
source timed: events overflow push=false
source generate: start count end tag
source createOnRequest: count end extra push=false overflow tag
source createOnRequest: count end extra push=true overflow tag
source errorOnRequest: msg
source fromStream: items
source throwing: msg
source mergeAll: outer inner concurrency prefetch
source mergeSequentialAll: outer inner concurrency prefetch delayError
source rogue: events afterEnd unasked=true
source defer: of
source concat: of
source concatDelayError: of
source merge: of prefetch
source mergeDelayError: of prefetch
source mergeSequential: of prefetch delayError
source mergePriority: of prefetch
source mergeComparing: of prefetch delayError
source zip: of prefetch fn=["sum"]
source combineLatest: of prefetch fn=["sum"]
source firstWithSignal: of
source firstWithValue: of
source switchOnNext: outer inner
source using: tag resource=1 of={"src":{"op":"arg"}} eager failAcquire=false failRelease
source using: tag resource=1 of={"src":{"op":"arg"}} eager failAcquire=true
source usingWhen: tag resource of={"src":{"op":"arg"}} asyncComplete asyncError asyncCancel
source monoJust: v
source monoEmpty:
source monoNever:
source monoError: msg
source monoDelay: ms
source monoTimed: at next
source monoTimed: at error
source monoTimed: at complete
source monoCallable: v
source monoCallable: msg
source monoRunnable: tag msg
source monoDefer: of
source monoZip: of fn=["sum"] delayError
source monoWhen: of delayError
source monoFirstWithSignal: of
source monoFirstWithValue: of
source monoSequenceEqual: of prefetch
source monoFrom: of=PROGRAM
source monoThrowing: msg
source monoIgnoreElements: of=PROGRAM
source monoUsing: tag resource=1 of={"src":{"op":"arg"}} eager failAcquire=false failRelease
source monoUsing: tag resource=1 of={"src":{"op":"arg"}} eager failAcquire=true
source monoUsingWhen: tag resource of={"src":{"op":"arg"}} asyncComplete asyncError asyncCancel
shared x:
inner argRange: count
inner argModRange: mod
inner argInterval: initial period count
inner argChildren: width limit
inner argSwitch: cases
inner arg:
inner argDelay: base mod mul
inner argFailIf: pred msg
inner argEmptyIf: pred
inner argThrowIf: pred msg
both map: fn
both mapNotNull: dropIf fn
both handle: fn skip=["false"] completeAt errorAt
both hide:
flux scan: fn=["sum"]
flux scanWithSeed: seed fn=["sum"]
flux scanWithSeed: seed fn=["sum"] failSeed=true
flux index:
both materialize:
both dematerialize: completeAt errorAt
flux flatMapIterable: iter prefetch
flux concatMapIterable: iter prefetch
flux concatMap: inner prefetch
flux concatMapDelayError: inner untilEnd prefetch
flux flatMap: inner concurrency prefetch
flux flatMapDelayError: inner concurrency prefetch
flux flatMapSequential: inner concurrency prefetch
flux flatMapSequentialDelayError: inner concurrency prefetch
flux flatMapSignal: onNext onError onComplete
flux switchMap: inner prefetch
flux switchOnFirst: pred then=["identity"] else cancelSource
both expand: inner
both expandDeep: inner
both addCtx: key="k"
both contextWrite: key="k" v
flux reduce: fn=["sum"]
flux reduceWithSeed: seed fn=["sum"]
flux reduceWithSeed: seed fn=["sum"] failSeed=true
flux collect: fn failSeed=false
flux collectList:
flux collectSortedList:
flux collectMap: key
flux collectMap: key value=["num"]
flux collectMultimap: key
flux collectMultimap: key value=["num"]
flux count:
flux all: pred
flux any: pred
flux hasElements:
flux hasElement: v
flux elementAt: index default
flux last: default
flux next:
flux single: default
flux singleOrEmpty:
flux ignoreElements:
both then:
both thenMono: other
both thenEmpty: other
flux shareNext:
both thenMany: other
both filter: pred
flux filterWhen: inner prefetch
mono filterWhen: inner
flux take: n limit
both takeDuration: ms
flux takeLast: n
flux takeWhile: pred
flux takeUntil: pred
both takeUntilOther: other
flux skip: n
flux skipDuration: ms
flux skipLast: n
flux skipWhile: pred
flux skipUntil: pred
flux skipUntilOther: other
flux distinct: key
flux distinctUntilChanged: key near
flux distinctStore: key tag
flux ofType:
both checkpoint:
both tap: tag
flux sort:
both defaultIfEmpty: v
both switchIfEmpty: other
both concatWith: other
flux startWith: other
both mergeWith: other
flux mergeComparingWith: other
both or: other
flux concatWithValues: items
flux startWithValues: items
flux zipWith: other fn=["sum"] prefetch
mono zipWith: other fn=["sum"]
flux zipWithIterable: items fn=["sum"]
flux withLatestFrom: other fn=["sum"]
flux join: other leftEnd rightEnd fn=["sum"]
flux groupJoin: other leftEnd rightEnd
flux delayElements: ms
flux delaySequence: ms
both delaySubscription: ms
both delaySubscription: other
both delayUntil: inner
flux sample: ms
flux sample: other
flux sampleFirst: ms
flux sampleFirst: inner
flux sampleTimeout: inner concurrency
both timeout: ms fallback
flux timeoutPub: first inner fallback
mono timeoutPub: first fallback
both timestamp:
both elapsed:
both retry: n
both retryWhen: spec="max" max transient
both retryWhen: spec="maxInARow" max
both retryWhen: spec="fixedDelay" max minMs transient match
both retryWhen: spec="backoff" max minMs maxMs transient match tag beforeMs afterMs
both retryWhen: spec="companion" max delayMs end="error"
both repeat: n while
both repeatWhen: times delayMs
both onErrorReturn: v match
both onErrorResume: other match fail=false
both onErrorComplete: match
both onErrorMap: msg match fail=false
both onErrorContinue: tag match
both onErrorStop:
both poke: on="subscribe" after=1 do="cancel" who
both poke: on="subscribe" after=1 do="request" n
both doFirst: tag fail
both doOnSubscribe: tag fail
both doOnRequest: tag
both doOnNext: tag failAt
flux doOnComplete: tag fail
both doOnError: tag fail
both doOnTerminate: tag fail
both doAfterTerminate: tag fail
both doOnCancel: tag
both doFinally: tag fail
both doOnEach: tag
both doOnDiscard: tag
mono doOnSuccess: tag fail
flux limitRate: high low
flux onBackpressureBuffer:
flux onBackpressureBuffer: size tag
flux onBackpressureBuffer: size strategy="DROP_OLDEST" tag
flux onBackpressureBuffer: size ttlMs tag
flux onBackpressureDrop: tag
flux onBackpressureLatest:
flux onBackpressureError:
flux publishOn: prefetch delayError
mono publishOn:
flux subscribeOn: requestOnSeparateThread
mono subscribeOn:
both cancelOn:
flux parallel: n prefetch runPrefetch fn
flux rails: n prefetch steps=[{"op":"runOn"},{"op":"groups","ops":[]}] end="sequential" endPrefetch
flux buffer: size skip
flux bufferDuration: ms everyMs
flux bufferOther: other
flux bufferWhen: open close
flux bufferTimeout: size ms fair
flux bufferUntil: pred cutBefore
flux bufferUntilChanged: key near
flux bufferWhile: pred
flux window: size skip flat
flux windowDuration: ms everyMs flat
flux windowOther: other flat
flux windowWhen: open close flat
flux windowTimeout: size ms fair flat
flux windowUntil: pred cutBefore flat
flux windowUntilChanged: key near flat
flux windowWhile: pred flat
flux windowWhile: pred flat most
flux windowWhile: pred flat="ops" by="switchMap" ops=[]
flux groupBy: key prefetch concurrency flat="take" n
flux groupBy: key prefetch concurrency flat most
flux groupBy: key value=["num"] prefetch concurrency flat="ops" ops=[]
flux publishSelector: mode prefetch
flux publishSelector: mode="ops" ops=[] prefetch
flux publishSelector: mode="other" other prefetch
mono publishSelector:
mono flatMap: inner
mono flatMapMany: inner
mono flatMapManySignal: onNext onError onComplete
mono flatMapIterable: iter
mono zipWhen: inner fn=["sum"]
mono and: other
mono thenReturn: v
mono ignoreElement:
mono hasElement:
mono single:
mono singleOptional:
mono delayElement: ms
mono repeatWhenEmpty: max times delayMs
mono flux:
mono cache: ms
mono cacheInvalidateIf: pred
mono cacheInvalidateWhen: inner tag
mono cacheFor: ms
mono share:
flux share:
flux publishRefCount: min graceMs prefetch
flux publishAutoConnect: min prefetch
flux replayRefCount: min history ms graceMs
flux replayAutoConnect: min history ms
flux cache: history ms
flux publish: prefetch
flux replay: history ms
sink unicastBuffer:
sink unicastBuffer: size tag
sink multicastUpstream: size autoCancel other
sink unicastError:
sink multicastBuffer: size autoCancel
sink multicastBestEffort:
sink multicastAllOrNothing:
sink replayAll:
sink replayLatest:
sink replayLatestOrDefault: default
sink replayLimit: size ms
sink one:
sink empty:
`

// samples is a plausible value for each argument.
var samples = map[string]string{
	"other": one, "fallback": one, "first": never, "open": one, "outer": one, "resource": one,
	"inner": arg, "close": arg, "leftEnd": arg, "rightEnd": arg, "else": arg, "onNext": arg, "onError": arg, "onComplete": arg,
	"asyncComplete": arg, "asyncError": arg, "asyncCancel": arg,
	"of": "[" + one + "," + one + "]", "cases": "[" + arg + "," + arg + "]",
	"items": "[1,2,3]", "events": `[{"at":1,"next":1},{"at":2,"complete":true}]`, "overflow": `"drop"`, "msg": `"x"`, "tag": "7",
	"end": `"complete"`, "match": `"boom"`, "strategy": `"ERROR"`, "flat": `"merge"`, "mode": `"merge"`,
	"fn": `["identity"]`, "key": `["mod",2]`, "pred": `["even"]`, "dropIf": `["even"]`, "iter": `["range",2]`,
	"completeAt": "8", "errorAt": "9", "failAt": "9",
	"default": "4", "v": "4", "seed": "0", "next": "4", "error": `"x"`, "complete": "true",
	"delayError": "true", "eager": "true", "limit": "true", "untilEnd": "true", "cancelSource": "true", "fair": "true", "transient": "true",
	"fail": "true", "cutBefore": "true", "requestOnSeparateThread": "true", "autoCancel": "true", "afterEnd": "true", "failRelease": "true", "failAcquire": "true",
}

const (
	one   = `{"src":{"op":"monoJust","v":1}}`
	never = `{"src":{"op":"never"}}`
	arg   = `{"src":{"op":"arg"}}`

	children = `{"src":{"op":"argChildren","width":2,"limit":5}}`
)

// sample makes the JSON of a source, operator or sink with all arguments of its
// line, and returns them.
func sample(t *testing.T, nameField, line string) (name, text string, args []string) {
	_, line, _ = strings.Cut(line, " ")
	name, rest, ok := strings.Cut(line, ":")
	require.True(t, ok, line)
	parts := []string{fmt.Sprintf("%q:%q", nameField, name)}
	for _, a := range strings.Fields(rest) {
		key, value, given := strings.Cut(a, "=")
		if value == "PROGRAM" {
			value = one
		}
		switch {
		case name == "argChildren" && key == "limit":
			value, given = "5", true
		case strings.HasPrefix(name, "expand") && key == "inner":
			value, given = children, true // anything else never ends
		}
		if !given {
			if value, given = samples[key]; !given {
				value = "2" // numbers
			}
		}
		args = append(args, key)
		parts = append(parts, fmt.Sprintf("%q:%s", key, value))
	}
	text = "{" + strings.Join(parts, ",") + "}"
	require.True(t, json.Valid([]byte(text)), text)
	return name, text, args
}

// Every name that the format has is registered, and what is registered asks for
// every argument, also those that no vector of the repository happens to have.
func TestFormatIsCoveredWhole(t *testing.T) {
	names := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(format)) {
		line = strings.TrimSpace(line)
		kind, _, _ := strings.Cut(line, " ")
		field := "op"
		if kind == "sink" {
			field = "type"
		}
		name, text, args := sample(t, field, line)
		program := map[string][]string{}
		switch kind {
		case "source":
			names["source "+name] = true
			program["source "+name] = []string{`{"src":` + text + `}`}
		case "inner":
			names["source "+name] = true
			program["source "+name] = []string{`{"src":{"op":"just","items":[1,2]},"ops":[{"op":"concatMap","inner":{"src":` + text + `}}]}`}
		case "shared":
			names["source "+name] = true
			program["source "+name] = []string{`{"src":{"op":"just","items":[1,2]},"ops":[{"op":"publishSelector","mode":"ops","ops":[{"op":"mergeWith","other":{"src":` + text + `}}]}]}`}
		case "sink":
			names["sink "+name] = true
			program["sink "+name] = []string{`{"sink":` + text + `,"script":[{"at":1,"next":1}]}`}
		}
		if kind == "flux" || kind == "both" {
			names["flux "+name] = true
			program["flux "+name] = []string{`{"src":{"op":"just","items":[1,2]},"ops":[` + text + `]}`, `{"src":{"op":"error","msg":"x"},"ops":[` + text + `]}`}
		}
		if kind == "mono" || kind == "both" {
			names["mono "+name] = true
			program["mono "+name] = []string{`{"src":{"op":"monoJust","v":1},"ops":[` + text + `]}`, `{"src":{"op":"monoError","msg":"x"},"ops":[` + text + `]}`}
		}
		for who, p := range program {
			t.Run(who+" "+strings.Join(args, " "), func(t *testing.T) { checkArguments(t, name, p, args) })
		}
	}
	t.Run("names", func(t *testing.T) {
		for who := range registered() {
			assert.True(t, names[who], "%s is registered, but the format does not have it", who)
		}
	})
}

func registered() map[string]bool {
	all := map[string]bool{}
	for kind, names := range map[string][]string{
		"flux ": slices.Collect(maps.Keys(fluxOps)), "mono ": slices.Collect(maps.Keys(monoOps)),
		"source ": slices.Collect(maps.Keys(sources)), "sink ": slices.Collect(maps.Keys(sinkTypes)),
	} {
		for _, name := range names {
			all[kind+name] = true
		}
	}
	return all
}

func checkArguments(t *testing.T, name string, programs []string, args []string) {
	read := map[string]bool{}
	for _, p := range programs {
		for _, a := range build(t, p) {
			if a.name == name {
				maps.Copy(read, a.used)
			}
		}
	}
	for _, a := range args {
		if a != "tag" { // is asked for when there is something to record
			assert.True(t, read[a], "%s ignores the argument %s", name, a)
		}
	}
}

// build runs a program and returns what it was assembled from.
func build(t *testing.T, program string) []*Args {
	v, err := Parse(`{"id":"x","class":"x","program":` + program + `,"run":{"demand":"unbounded","cancelAt":null,"until":9},"expect":{}}`)
	require.NoError(t, err)
	r := &run{v: v, b: newBuilder(false)}
	r.b.built = new([]*Args)
	var thrown any
	func() {
		defer func() { thrown = recover() }()
		r.execute()
		for _, s := range r.subs { // what is open holds sequences and timers
			if s.up != nil {
				s.up.Cancel()
			}
		}
	}()
	require.Empty(t, r.b.missing, program)
	require.Nil(t, thrown, program)
	return *r.b.built
}
