// Package proof puts every stage of internal/roster through what all of them must
// withstand: races of each pair of signals with the books balanced, a table of
// scenarios with one allowed outcome each, and that nothing is retained after the
// end.
package proof
