//go:build !linux || !(amd64 || arm64)

package netreactor

import "context"

// canPark says whether connections of package net are parked.
const canPark = false

// waiter is none where there is no epoll.
type waiter struct{}

func newWaiter(context.Context, *parking) (*waiter, error) { panic("netreactor: no epoll") }

func (*waiter) add(*netTransport, int32, int32) error { panic("netreactor: no epoll") }
func (*waiter) remove(*netTransport)                  { panic("netreactor: no epoll") }
func (*waiter) isClosed(*netTransport) bool           { panic("netreactor: no epoll") }
func (*waiter) end()                                  { panic("netreactor: no epoll") }
