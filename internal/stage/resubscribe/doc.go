// Package resubscribe is what stages with one downstream and several upstreams, one after the other, are made of: concat, retry,
// repeat, onErrorResume. Demand is that of the stream, not of an upstream. Upstreams beside each other are not its subject.
package resubscribe
