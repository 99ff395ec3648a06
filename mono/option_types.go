package mono

import "github.com/goreactor/reactor/operators"

// DelayErrorsOption holds errors back until everything else was delivered.
type DelayErrorsOption = operators.DelayErrorsOption

// LateReleaseOption makes [Using] release a resource after downstream has learnt of the end.
type LateReleaseOption = operators.LateReleaseOption

// MaxRepeatsOption is how often a source may be subscribed again.
type MaxRepeatsOption = operators.MaxRepeatsOption

// PrefetchOption is how many elements are requested ahead of demand.
type PrefetchOption = operators.PrefetchOption

// RepeatWhenEmptyOption is an option of [Mono.RepeatWhenEmpty]: [MaxRepeats], [operators.Verbatim].
type RepeatWhenEmptyOption = operators.RepeatWhenEmptyOption

// RetryWhenOption is an option of [Mono.RetryWhen]: [operators.Verbatim].
type RetryWhenOption = operators.RetryWhenOption

// SchedulerOption is the scheduler whose clock and workers an operator uses.
type SchedulerOption = operators.SchedulerOption

// SequenceEqualOption is an option of [SequenceEqual]: [Prefetch], [operators.Verbatim].
type SequenceEqualOption = operators.SequenceEqualOption

// StackTraceOption is what [StackTrace] returns.
type StackTraceOption = operators.StackTraceOption

// SuppressCancelOption makes [FromFuture] not cancel the future.
type SuppressCancelOption = operators.SuppressCancelOption

// TTLOption is how long something is kept.
type TTLOption = operators.TTLOption

// TimesOption is how often a source is subscribed again.
type TimesOption = operators.TimesOption
