package operators

// VerbatimOption makes an operator do exactly what Project Reactor does.
type VerbatimOption bool

// Verbatim makes an operator do what Project Reactor does, also where that is a weakness that this
// library does not have by default. It is for comparing the two, and for moving a test from one to
// the other.
//
//   - [GroupBy]: the last element of a group that is cancelled, and what it discards, is
//     lost to the prefetch that all groups share, up to standing still; what goes straight
//     through is asked for again one by one.
//   - [FlatMap]: inner publishers that are known at once are asked for again in batches; while others hold
//     as many places as the batch lacks, nothing comes.
//   - [BufferTimeout] with [FairBackpressure]: demand that comes back has everything emitted
//     that has come meanwhile, full or not, and a full buffer takes the elements behind it
//     along; while a source works where it is asked, nothing is emitted, and no time is over.
//   - [WindowWhen], and [WindowFor] with [OpenEvery]: cancellation and the failure of the
//     stream of windows leave src running to its end, and so does the completion of what
//     opens windows; elements that belong to no window are not discarded but just left out.
//   - [WindowTimeout]: cancellation takes effect when the open window is full or at the next timeout.
//   - [RetryWhen], [RepeatWhen], [MonoRepeatWhenEmpty]: the end of the stream, or a cancellation, cancels the
//     upstream that has just ended; [DoFinally] there sees a cancellation instead of the end.
//   - [SequenceEqual]: the result waits for both sources to end, also if it is known before;
//     if one has ended and the other has more than the prefetch, that is for ever.
func Verbatim() VerbatimOption { return true }
