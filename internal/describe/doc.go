// Package describe says in words what a chain of operators is made of, for errors and for tests.
//
// It reads the types of the publishers. What happens in a chain while it runs is not seen here.
package describe
