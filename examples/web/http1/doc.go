// Package http1 is a codec for HTTP/1.1 as a server speaks it: requests come in, with bodies
// of a known length or in chunks, responses go out.
//
// It is part of an example, which shows what a codec can do. It knows what common clients
// send and refuses the rest; a service uses package net/http.
package http1
