// Package operators is the engine: one operator per file, each a function from
// publishers to a publisher. Packages flux and mono offer it as chains of method calls.
// Use it directly to write an operator of your own from existing ones, or to work on
// values of your own Publisher type.
//
// Every publisher returned here is cold, unless its function says otherwise. It may be
// subscribed any number of times, also concurrently, and holds no state between
// subscriptions.
package operators
