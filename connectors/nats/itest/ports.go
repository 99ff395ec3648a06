package itest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// Linux gives ports from 32,768 on to whoever connects, or listens on any port, other systems from 49,152 on.
const firstPort, ports = 20_000, 12_000

// given are the ports that this process was given.
var given sync.Map

// Ports returns n ports of loopback on which nobody listens; it returns each port once. They are
// outside the range from which the system gives ports to clients: a client could otherwise have the
// port of a server before the server is started, or started again.
func Ports(n int) ([]int, error) {
	var found []int
	for range ports {
		if len(found) == n {
			return found, nil
		}
		port := firstPort + rand.IntN(ports)
		if _, before := given.LoadOrStore(port, true); before {
			continue
		}
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			continue // somebody listens there
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("itest: %w", err)
		}
		found = append(found, port)
	}
	return nil, errors.New("itest: no free ports on loopback")
}
