//go:build !linux || !(amd64 || arm64)

package netreactor

import "net"

// haveEpoll says whether there is an epoll driver.
const haveEpoll = false

func openEpoll(*engine, net.Listener) (source, driver, error) { panic("netreactor: no epoll") }
