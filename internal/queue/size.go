package queue

import "github.com/goreactor/reactor/internal/env"

// Small is the size of buffers, and with it the demand for what fills them, where a program does not say
// any. It is read from the environment when the first stage needs one.
func Small() int { return sizes().small }

// ExtraSmall is [Small] for what is buffered many times over, such as the elements of inner publishers.
func ExtraSmall() int { return sizes().extraSmall }

// The names of the settings, after Reactor's reactor.bufferSize.small and reactor.bufferSize.x.
const (
	settingPrefix     = "REACTOR_BUFFER"
	settingSmall      = "REACTOR_BUFFER_SIZE_SMALL"
	settingExtraSmall = "REACTOR_BUFFER_SIZE_X"
)

type bufferSizes struct{ small, extraSmall int }

var sizes = env.Once("reactor", settingPrefix, []string{settingSmall, settingExtraSmall}, readSizes, env.Process)

// The least that there may be, as in Reactor, which raises what is less. With a few FlatMap would hardly run
// anything at a time, and publishers that wait for one another stand still.
const (
	leastSmall      = 16
	leastExtraSmall = 8
)

// readSizes returns the sizes, and what can't be used of the settings.
func readSizes(lookup env.Lookup) (bufferSizes, error) {
	c := bufferSizes{small: 256, extraSmall: 32}
	r := env.New("reactor", lookup)
	r.Int(settingSmall, leastSmall, &c.small)
	r.Int(settingExtraSmall, leastExtraSmall, &c.extraSmall)
	return c, r.Err()
}
