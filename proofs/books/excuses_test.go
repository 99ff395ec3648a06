package books

import (
	"regexp"
	"slices"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
)

// excuses are what rows of the roster may do with errors, beside what sources, stages and shared stages say of
// themselves (forgets, several). Two more hold for all: an error that waits behind elements is forgotten with
// them when a cancellation comes (accounts.isBehind), as with Reactor; and a call that blocks does not
// return from a Goexit on its own goroutine, so nobody is told (reader.isGone).
var excuses = []struct {
	rows             *regexp.Regexp
	forgets, several string
}{
	{regexp.MustCompile(`^(onErrorReturn|onErrorResume|onErrorComplete|retry|flatMapSignal|mono timeoutFallback)`), "it handles errors", ""},
	{regexp.MustCompile(`(equential|concatMap) (delaying errors|to the boundary|by one)`), delayedInTurn, ""},
	{regexp.MustCompile(`^parallel`), byRails, byWindows},
	{regexp.MustCompile(`^firstWithValue`), withoutValue, ""},
	{regexp.MustCompile(`aterialize`), "an error travels within an element", ""},
	{regexp.MustCompile(`^publishSelector|^mono publish`), "", bySharers},
	{regexp.MustCompile(`^(window|groupBy|groupJoin)`), "", byWindows},
	{regexp.MustCompile(`^delaySequence`), delayed, ""},
}

// delayedInTurn is why MergeSequential, FlatMapSequential and ConcatMap may.
const delayedInTurn = "an error that is held back is forgotten at a cancellation, as the vectors see"

// delayed is why DelaySequence may forget an error.
const delayed = "an error that is delayed is forgotten when a cancellation comes, or has come, as the vectors see"

// withoutValue is why FirstWithValue may forget an error.
const withoutValue = "what a source without a value has ended in counts only if no other one has a value, as with Reactor"

// withoutTasks are stages that need not tell when a scheduler takes no task: CancelOn and RefCount do what they wanted themselves, a delay is
// wanted no more when the element has come, or the cancellation, as with Reactor.
var withoutTasks = regexp.MustCompile(`cancelOn|timeout|grace`)

// endless are stages and sources that need not end: they wait for subscribers, for what does not come, or fail whom nobody hears.
var endless = regexp.MustCompile(`never|interval|refCount|autoConnect|clumsy|refusing|groupBy`)

// unfit are rows whose books can't be balanced, beside those whose traits say so: what is in a sink is for those who come
// later, and a handler swallows what it is told of.
var unfit = regexp.MustCompile(`^(sink|onErrorContinue)`)

// rows are the stages of the roster, with one child. What a stage makes of the elements is taken apart again.
func rows() (list []*stage) {
	for _, row := range roster.Stages[element]() {
		if row.Swallows || row.Hot || row.Lingers || unfit.MatchString(row.Name) {
			continue
		}
		s := &stage{name: "roster: " + row.Name, kids: 1, build: func(u use) publisher {
			src := u.kid(0)
			if row.Single {
				src = operators.Next(src)
			}
			if row.Calling != nil {
				if p, same := row.Calling(func() { u.call() }, src).(publisher); same {
					return p
				}
			}
			return operators.ConcatMapSlice(row.Build(u.scheduler, src), func(v any) (apart []element) {
				each(v, func(e element) { apart = append(apart, e) })
				return apart
			})
		}}
		for _, e := range excuses {
			if e.rows.MatchString(row.Name) {
				s.forgets, s.several = e.forgets, e.several
			}
		}
		list = append(list, s)
	}
	return list
}

// all is what trees are drawn from: the stages here more often than those of the roster, which are many and do
// less.
var all = palette{sources, slices.Concat(single, called, joins, joins, calledJoins, sharing, sharing, sharing, cutting, cutting, rows())}
