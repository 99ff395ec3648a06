// Package operators is the engine: one operator per file, each a function from
// publishers to a publisher. Packages flux and mono put the chainable face on
// it. Use it directly to write an operator of your own from existing ones, or to
// work on values of your own Publisher type.
//
// Every publisher returned here is cold unless it says otherwise, may be
// subscribed any number of times, concurrently, and holds no state between
// subscriptions.
package operators
