// Package flux is where pipelines are built: [Flux], a stream of any number of
// elements, and its operators.
package flux
