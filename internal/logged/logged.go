// Package logged writes to the log of the program, where a panic of its handler must not go on.
package logged

// Safely calls write, which writes to the log. A panic of the handler of that log is ignored: it would end what has nothing
// to do with it, a task or the program.
func Safely(write func()) {
	defer func() { _ = recover() }()
	write()
}
