// Package stages puts every stage of proofs/roster through what all of them must
// withstand: races of each pair of signals with the books balanced, a table of
// scenarios with one allowed outcome each, schedulers at their worst, and that nothing is
// retained after the end.
//
// Of the 21 pairs of next, complete, error, request, cancel and timer, the six among the
// first three never meet: they come from one source, one after the other (§1.3). The six with
// a timer are for stages that use a scheduler. So 15 or 9 are raced; go test -v says for each
// stage which are not. Where a timer meets another, they are on two clocks.
package stages
