// Package sse has server-sent events, the format text/event-stream of the HTML
// standard that browsers read with EventSource, for servers and clients.
//
//	http.Handle("/prices", sse.Handler(func(r *http.Request) flux.Flux[sse.Event] {
//		return prices.Map(func(p Price) sse.Event { return sse.Event{ID: p.ID, Data: p.String()} })
//	}))
//
//	sse.Events(http.DefaultClient, req).SubscribeFunc(ctx, show)
//
// # Slow clients
//
// A stream is asked for the next event when a client has taken the one before, and for a few ahead.
// A stream that can't wait, such as one that many clients share, has to decide what becomes of the
// events for a slow client, before the events get here:
//
//	shared.OnBackpressureBuffer(flux.Capacity(100), …)   // this many wait, then the oldest go, or the client
//	shared.OnBackpressureLatest()                        // it gets the newest
//	shared.OnBackpressureDropFunc(missed)                // it gets what comes when it is ready
//
// # Middleware
//
// Events are flushed as they come, so a [Handler] needs a ResponseWriter that can flush, as that of
// net/http can. Behind a middleware whose ResponseWriter has neither a Flush nor an Unwrap method
// (see http.ResponseController) each response is cut off, and "feature not supported" is reported
// as dropped.
//
// # Reconnecting
//
// A client that has lost the connection connects again and says in the header Last-Event-ID which
// event it has seen last; see [LastEventID]. If the server can replay the events after that one, as
// flux.Replay does, no event is lost.
package sse
