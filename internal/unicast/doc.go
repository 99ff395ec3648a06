// Package unicast holds the publisher behind everything that is put into from one
// side and read by one subscriber on the other: windows, groups, unicast sinks.
//
// A producer offers its element to a queue and drains, so that an element costs no
// lock; one that comes while there is demand and nothing waits
// goes straight through. What arrives before there is a subscriber waits for it. A
// second subscriber is refused.
package unicast
