// Package inlining shows that what operators do for each element is inlined in the packages of users,
// as docs/decisions/0032-inlined.md says.
package inlining
