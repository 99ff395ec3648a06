// Package netreactor serves and dials TCP connections as streams of messages, with demand
// that reaches the window of TCP.
package netreactor
