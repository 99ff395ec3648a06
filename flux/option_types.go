package flux

import "github.com/goreactor/reactor/operators"

// AutoConnectOption is an option of [ConnectableFlux.AutoConnect]: [OnConnect].
type AutoConnectOption = operators.AutoConnectOption

// BackpressureBufferOption is an option of [Flux.OnBackpressureBuffer]: [Capacity] or
// a [BufferOverflowStrategy].
type BackpressureBufferOption = operators.BackpressureBufferOption

// BufferOverflowStrategy says what happens to an element that comes to a full buffer: see
// [Flux.OnBackpressureBuffer].
type BufferOverflowStrategy = operators.BufferOverflowStrategy

// BoundaryErrorsOption holds errors back until the current inner publisher has ended.
type BoundaryErrorsOption = operators.BoundaryErrorsOption

// BufferForOption is an option of [Flux.BufferFor]: [OpenEvery] or [On].
type BufferForOption = operators.BufferForOption

// BufferOption is an option of [Flux.Buffer]: [Stride].
type BufferOption = operators.BufferOption

// BufferTimeoutOption is an option of [Flux.BufferTimeout]: [FairBackpressure], [On] or
// [operators.Verbatim].
type BufferTimeoutOption = operators.BufferTimeoutOption

// BufferUntilOption is an option of [Flux.BufferUntil]: [CutBefore].
type BufferUntilOption = operators.BufferUntilOption

// CapacityOption is how many elements a stage may keep.
type CapacityOption = operators.CapacityOption

// ConcurrencyOption is how many inner publishers are subscribed at a time.
type ConcurrencyOption = operators.ConcurrencyOption

// CutBeforeOption puts the element that marks a boundary first in what comes next.
type CutBeforeOption = operators.CutBeforeOption

// DelayErrorsOption holds errors back until everything else was delivered.
type DelayErrorsOption = operators.DelayErrorsOption

// EagerErrorsOption lets an error overtake what was received before it.
type EagerErrorsOption = operators.EagerErrorsOption

// FairBackpressureOption makes buffers and windows wait for demand.
type FairBackpressureOption = operators.FairBackpressureOption

// FilterWhenOption changes how [Flux.FilterWhen] asks for elements.
type FilterWhenOption = operators.FilterWhenOption

// GraceOption is how long a connection is kept after its last subscriber has left.
type GraceOption = operators.GraceOption

// HistoryOption is how many elements are kept.
type HistoryOption = operators.HistoryOption

// InitialDelayOption is the time before the first tick.
type InitialDelayOption = operators.InitialDelayOption

// KeepSourceOption is what [KeepSource] returns.
type KeepSourceOption = operators.KeepSourceOption

// LateReleaseOption makes [Using] release a resource after downstream has learnt of the end.
type LateReleaseOption = operators.LateReleaseOption

// LimitRateOption is an option of [Flux.LimitRate]: [LowTide].
type LimitRateOption = operators.LimitRateOption

// LowTideOption is how many elements are requested again at a time.
type LowTideOption = operators.LowTideOption

// MaxGroupsOption is how many groups may be open at a time.
type MaxGroupsOption = operators.MaxGroupsOption

// OnConnectOption is the function that gets the handle of a connection.
type OnConnectOption = operators.OnConnectOption

// OpenEveryOption is the time between the beginnings of two buffers or windows.
type OpenEveryOption = operators.OpenEveryOption

// ParallelMergeOption is an option of [ParallelFlux.Sequential] and [ParallelFlux.Ordered]:
// [Prefetch].
type ParallelMergeOption = operators.ParallelMergeOption

// ParallelOption is an option of [Flux.Parallel]: [Prefetch].
type ParallelOption = operators.ParallelOption

// ParallelRunOnOption is an option of [ParallelFlux.RunOn]: [Prefetch].
type ParallelRunOnOption = operators.ParallelRunOnOption

// PatienceOption is how long a stage waits while nothing can move.
type PatienceOption = operators.PatienceOption

// PrefetchOption is how many elements are requested ahead of demand.
type PrefetchOption = operators.PrefetchOption

// PublishOnOption is an option of [Flux.PublishOn]: [Prefetch] or [EagerErrors].
type PublishOnOption = operators.PublishOnOption

// PublishOption is an option of [Flux.Publish] and [Flux.PublishSelector]: [Prefetch].
type PublishOption = operators.PublishOption

// RefCountOption is an option of [ConnectableFlux.RefCount]: [Grace], or [On].
type RefCountOption = operators.RefCountOption

// RepeatWhenOption is an option of [Flux.RepeatWhen]: [operators.Verbatim].
type RepeatWhenOption = operators.RepeatWhenOption

// ReplayOption is an option of [Flux.Replay] and [Flux.Cache]: [History], [TTL], or [On].
type ReplayOption = operators.ReplayOption

// RequestInPlaceOption leaves requests on the goroutine where they are made.
type RequestInPlaceOption = operators.RequestInPlaceOption

// RetryWhenOption is an option of [Flux.RetryWhen]: [operators.Verbatim].
type RetryWhenOption = operators.RetryWhenOption

// SampleTimeoutOption is an option of [Flux.SampleTimeout]: [Concurrency], which here says
// how many due elements are expected to wait for a slow subscriber at a time.
type SampleTimeoutOption = operators.SampleTimeoutOption

// SchedulerOption is the scheduler whose clock and workers an operator uses.
type SchedulerOption = operators.SchedulerOption

// StackTraceOption is what [StackTrace] returns.
type StackTraceOption = operators.StackTraceOption

// StrideOption is the number of elements between the beginnings of two buffers or windows.
type StrideOption = operators.StrideOption

// SubscribeOnOption is an option of [Flux.SubscribeOn]: [RequestInPlace].
type SubscribeOnOption = operators.SubscribeOnOption

// TTLOption is how long something is kept.
type TTLOption = operators.TTLOption

// TakeOption changes how [Flux.Take] asks for elements.
type TakeOption = operators.TakeOption

// TimesOption is how often a source is subscribed again.
type TimesOption = operators.TimesOption

// UnlimitedRequestOption lets demand pass that is greater than what will be delivered.
type UnlimitedRequestOption = operators.UnlimitedRequestOption

// WhileOption is a condition for going on.
type WhileOption = operators.WhileOption

// WindowForOption is an option of [Flux.WindowFor]: [OpenEvery], [On] or [operators.Verbatim].
type WindowForOption = operators.WindowForOption

// WindowOption is an option of [Flux.Window]: [Stride].
type WindowOption = operators.WindowOption

// WindowTimeoutOption is an option of [Flux.WindowTimeout]: [FairBackpressure], [On] or
// [operators.Verbatim].
type WindowTimeoutOption = operators.WindowTimeoutOption

// WindowUntilOption is an option of [Flux.WindowUntil]: [CutBefore] or [Prefetch].
type WindowUntilOption = operators.WindowUntilOption

// WindowWhenOption is an option of [Flux.WindowWhen]: [operators.Verbatim].
type WindowWhenOption = operators.WindowWhenOption

// WindowWhileOption is an option of [Flux.WindowWhile]: [Prefetch].
type WindowWhileOption = operators.WindowWhileOption

// ZoneOption is the time zone in which a cron expression is read.
type ZoneOption = operators.ZoneOption
