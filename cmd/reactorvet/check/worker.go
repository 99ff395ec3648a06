package check

import (
	"go/ast"
	"go/types"
	"slices"
)

// hops are the operators that choose the worker of what is behind them.
var hops = map[string]bool{"PublishOn": true, "RunOn": true}

// timers are the operators that emit on a timer, and sources that do.
var timers = map[string]bool{
	"Interval": true, "Delay": true, "At": true, "Cron": true, "OnTrigger": true,
	"DelayElements": true, "DelayElement": true, "DelaySequence": true,
	"BufferFor": true, "BufferTimeout": true, "SampleEvery": true, "SampleTimeoutFor": true,
}

// mixed are those of them that emit also where they get an element, or the end.
var mixed = map[string]bool{"BufferFor": true, "BufferTimeout": true, "SampleEvery": true, "SampleTimeoutFor": true}

// heard are the operators with a publisher or a function for one of which they pass no element on:
// what they emit comes from where they got it.
var heard = map[string]bool{
	"TakeUntilOther": true, "SkipUntilOther": true, "WithLatestFrom": true, "SampleFirst": true,
	"DelaySubscription": true, "TimeoutFirst": true, "TimeoutWhen": true,
}

// lost are the operators and sources of which nobody knows where they emit, although no parameter says so.
var lost = map[string]bool{
	"As": true, "Throttle": true, "WindowFor": true, "WindowTimeout": true,
	"Cache": true, "CacheFor": true, "Replay": true,
	"FromChan": true, "Create": true, "Push": true,
}

// either are the operators that call their function on the worker of one of two streams.
var either = map[string]bool{"ZipWith": true, "Join": true, "GroupJoin": true}

// assembling are the operators that call their function at once, where the chain is put together.
var assembling = map[string]bool{"As": true, "Transform": true, "TransformGroups": true}

// below are the operators whose function is called by who is behind them: who asks for more, cancels, or
// throws elements away.
var below = map[string]bool{"DoOnRequest": true, "DoOnCancel": true, "DoOnDiscard": true}

// early are the operators whose function is called by who subscribes.
var early = map[string]bool{
	"ContextWrite": true, "DoFirst": true, "DoOnSubscribe": true, "Tap": true,
	"TransformDeferred": true, "TransformDeferredContext": true, "PublishSelector": true, "Publish": true,
}

// workerOf reads off the chain which worker calls the function of the stage: that of the nearest
// operator before it that says so; without one, that of SubscribeOn, or of a clock that emits.
func (p *pass) workerOf(call *ast.CallExpr, above map[*ast.CallExpr]*ast.CallExpr) (worker, string) {
	subscribed := false
	if f := p.callee(call); f != nil {
		switch name := f.Name(); {
		case assembling[name]:
			return mayBlock, ""
		case either[name], below[name]:
			return unknown, ""
		}
		subscribed = early[f.Name()]
	}
	// The chain as a stack of calls, the source last. For who subscribes it means nothing.
	var before []*ast.CallExpr
	if !subscribed {
		before = p.before(call)
	}
	for _, c := range before {
		if c == nil {
			return unknown, ""
		}
		f := p.callee(c)
		if f == nil || !isMethod(f) && !isSource(f) { // what it has put together nobody knows
			return unknown, ""
		}
		switch name := f.Name(); {
		case isMethod(f) && hops[name]:
			return p.scheduler(name, c)
		case timers[name]:
			if w, where := p.timer(c); w == mustNotBlock || !mixed[name] {
				return w, where
			}
		case lost[name], !heard[name] && emitsElsewhere(f):
			return unknown, ""
		}
	}
	var subscribeOn *ast.CallExpr // the one nearest to the source counts
	for c := above[call]; c != nil && subscribeOn == nil; c = above[c] {
		if p.subscribes(c) {
			subscribeOn = c
		}
	}
	for _, c := range before {
		if p.subscribes(c) {
			subscribeOn = c
		}
	}
	switch {
	case subscribeOn == nil:
		return unknown, ""
	case p.callee(subscribeOn).Name() == "SubscribeOn":
		return p.scheduler("SubscribeOn", subscribeOn)
	}
	return p.timer(subscribeOn)
}

// before returns the calls whose result call is a method of, the nearest first. A variable that is set once stands for
// what it is set to; one that is set more often ends the list with nil.
func (p *pass) before(call *ast.CallExpr) (all []*ast.CallExpr) {
	for {
		r := receiver(call)
		if id, ok := r.(*ast.Ident); ok {
			if r = p.definition(id); r == nil && p.settings[p.TypesInfo.Uses[id]] != nil {
				return append(all, nil)
			}
		}
		next, ok := r.(*ast.CallExpr)
		if !ok || slices.Contains(all, next) { // a variable may be declared before it is set to what it is part of
			return all
		}
		all, call = append(all, next), next
	}
}

// subscribes reports whether call chooses the worker that subscribes to what is before it.
func (p *pass) subscribes(call *ast.CallExpr) bool {
	f := p.callee(call)
	return f != nil && isMethod(f) && (f.Name() == "SubscribeOn" || f.Name() == "DelaySubscriptionFor")
}

// isSource reports whether f is a function of one of the packages of streams.
func isSource(f *types.Func) bool {
	path := pathOf(f)
	return f.Signature().Recv() == nil && (path == module+"/flux" || path == module+"/mono")
}

// emitsElsewhere reports whether f takes a publisher, or a function that returns one: who emits its
// elements decides where.
func emitsElsewhere(f *types.Func) bool {
	for v := range f.Origin().Signature().Params().Variables() {
		t := v.Type()
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem()
		}
		if isPublisher(t) {
			return true
		}
		fn, ok := t.Underlying().(*types.Signature)
		if !ok {
			continue
		}
		for r := range fn.Results().Variables() {
			if isPublisher(r.Type()) {
				return true
			}
		}
	}
	return false
}

// isPublisher reports whether t, or what a type parameter may stand for, can be subscribed to.
func isPublisher(t types.Type) bool {
	if _, ok := streamName(t); ok {
		return true
	}
	if p, ok := t.(*types.TypeParam); ok {
		for e := range p.Constraint().Underlying().(*types.Interface).EmbeddedTypes() {
			if _, ok := streamName(e); ok {
				return true
			}
		}
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Subscribe")
	_, ok := obj.(*types.Func)
	return ok
}

// timer is for what emits on schedulers.Parallel() unless told otherwise: by an option, which may be a variable that is set once.
// Where an option can't be seen, nobody knows.
func (p *pass) timer(call *ast.CallExpr) (worker, string) {
	f := p.callee(call)
	options := call.Args[min(len(call.Args), max(0, f.Signature().Params().Len()-1)):]
	for _, arg := range options {
		made := ast.Unparen(arg)
		if id, ok := made.(*ast.Ident); ok {
			made = p.definition(id)
		}
		c, ok := made.(*ast.CallExpr)
		if !ok || call.Ellipsis.IsValid() {
			return unknown, ""
		}
		g := p.callee(c)
		if g == nil || !isSource(g) && pathOf(g) != module+"/operators" {
			return unknown, ""
		}
		if g.Name() == "On" {
			return p.scheduler("On", c)
		}
	}
	return mustNotBlock, f.Name() + " emits on schedulers.Parallel()"
}

// scheduler looks at the first argument of call, where it is written as a call of schedulers or
// as a variable that is set once, by one.
func (p *pass) scheduler(op string, call *ast.CallExpr) (worker, string) {
	if len(call.Args) == 0 {
		return unknown, ""
	}
	arg := ast.Unparen(call.Args[0])
	made := arg
	if id, ok := arg.(*ast.Ident); ok {
		made = p.definition(id)
	}
	c, ok := made.(*ast.CallExpr)
	if !ok {
		return unknown, ""
	}
	f := p.callee(c)
	if pathOf(f) != module+"/schedulers" {
		return unknown, ""
	}
	switch f.Name() {
	case "Parallel", "Single", "NewParallel", "NewSingle":
		return mustNotBlock, op + "(" + text(arg) + ")"
	case "BoundedElastic", "NewBoundedElastic", "NewPerTaskBoundedElastic":
		return mayBlock, ""
	}
	return unknown, ""
}
