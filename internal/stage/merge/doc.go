// Package merge merges sources with a queue for each, in any order or in that of a comparison. What merges any number of inner
// publishers that come and go is flatMap.
package merge
