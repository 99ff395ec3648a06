// Package epoll is the part of Linux that the selectors of package netreactor stand on:
// waiting for many sockets at once, and reading, writing and accepting without waiting. It
// uses package syscall alone, and is empty on other systems.
package epoll
