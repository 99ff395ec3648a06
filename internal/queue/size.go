package queue

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
)

// Small and ExtraSmall are the sizes of buffers, and with them the demand for what fills them, where
// a program does not say any. They are read from the environment when the program starts.
var Small, ExtraSmall = readSizes(os.LookupEnv, os.Environ)

// The names of the settings, after Reactor's reactor.bufferSize.small and reactor.bufferSize.x.
const (
	settingPrefix     = "REACTOR_BUFFER"
	settingSmall      = "REACTOR_BUFFER_SIZE_SMALL"
	settingExtraSmall = "REACTOR_BUFFER_SIZE_X"
)

// readSizes returns the sizes, and logs what can't be used.
func readSizes(lookup func(string) (string, bool), environ func() []string) (small, extraSmall int) {
	var errs []error
	size := func(name string, def int) int {
		value, ok := lookup(name)
		if !ok {
			return def
		}
		n, err := strconv.Atoi(value)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("reactor: %s=%q is not a decimal number, using %d", name, value, def))
			return def
		case n <= 0:
			errs = append(errs, fmt.Errorf("reactor: %s=%d must be positive, using %d", name, n, def))
			return def
		}
		return n
	}
	small, extraSmall = size(settingSmall, 256), size(settingExtraSmall, 32)
	for _, variable := range environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, settingPrefix) && name != settingSmall && name != settingExtraSmall {
			errs = append(errs, fmt.Errorf("reactor: there is no setting %s, did you mean %s or %s?", name, settingSmall, settingExtraSmall))
		}
	}
	if err := errors.Join(errs...); err != nil {
		slog.Warn("reactor: settings ignored", "error", err)
	}
	return small, extraSmall
}
