// Package upstream is what a stage leaves in the context for the stages above it: what to do about an error
// instead of ending the stream, and whom to show the context that arrives at the source.
//
// What users put into a context is no business of it, and neither are hooks: they are package reactor's.
package upstream
