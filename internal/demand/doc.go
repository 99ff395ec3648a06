// Package demand is the arithmetic of requests: sums and products that saturate at reactor.Unbounded,
// what was asked for and is not delivered yet, and when a stage that takes elements ahead asks for more.
//
// It knows no subscriptions: who calls it sends the request. The demand of a stage with one downstream
// is counted by its outlet, see package protocol.
package demand
