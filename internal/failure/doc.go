// Package failure is what becomes of a panic and of runtime.Goexit in functions of others: the guards that
// take them, the operator that their error names, which of several guards deals with a Goexit, and where
// the failures of several sources are collected.
//
// It sends nothing down. Where guards stand, and what a stage does about a failure, is told in package
// protocol.
package failure
