// Package paired is what stages have in common with a source and something else, a publisher or a timer, that says when: when what
// is kept goes down (Stage), when the stream ends (Until). Other subscribes that publisher.
package paired
