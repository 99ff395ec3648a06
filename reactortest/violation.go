package reactortest

import "fmt"

// Violation is a rule of the protocol that a [TestPublisher] breaks on purpose, to see how a
// subscriber deals with that.
type Violation int

// The violations. A publisher can have several of them.
const (
	// SendsWithoutDemand: elements are sent whatever was requested (§1.1).
	SendsWithoutDemand Violation = iota
	// OverlapsSignals: the elements of one Next are sent at the same time, each on a goroutine
	// of its own (§1.3).
	OverlapsSignals
	// GoesOnAfterTheEnd: signals are sent after OnError or OnComplete (§1.7).
	GoesOnAfterTheEnd
	// GoesOnAfterCancel: cancellation is noted and otherwise ignored (§1.8, §3.12).
	GoesOnAfterCancel
	// ForgetsOnSubscribe: signals are sent without OnSubscribe (§1.9).
	ForgetsOnSubscribe
	// SubscribesNil: OnSubscribe is called with nil (§2.13).
	SubscribesNil
	// SubscribesTwice: OnSubscribe is called twice (§2.12).
	SubscribesTwice
	// PanicsInSubscribe: Subscribe panics, after OnSubscribe (§1.9).
	PanicsInSubscribe
	// SendsNilErrors: Error(nil) is sent as it is (§2.13).
	SendsNilErrors
	// AcceptsIllegalRequests: requests of n ≤ 0 are ignored (§3.9).
	AcceptsIllegalRequests
	// PanicsInRequest: every Request panics (§3.16).
	PanicsInRequest
	// PanicsInCancel: every Cancel panics (§3.15).
	PanicsInCancel
	// IgnoresContext: the end of the context goes unnoticed.
	IgnoresContext

	violations = iota
)

func (v Violation) isKnown() bool { return v >= 0 && v < violations }

// String returns for example "SendsWithoutDemand".
func (v Violation) String() string {
	if !v.isKnown() {
		return fmt.Sprintf("Violation(%d)", int(v))
	}
	return [...]string{
		"SendsWithoutDemand", "OverlapsSignals", "GoesOnAfterTheEnd", "GoesOnAfterCancel", "ForgetsOnSubscribe",
		"SubscribesNil", "SubscribesTwice", "PanicsInSubscribe", "SendsNilErrors", "AcceptsIllegalRequests",
		"PanicsInRequest", "PanicsInCancel", "IgnoresContext",
	}[v]
}
