package executors

import "log/slog"

// LogValue implements slog.LogValuer: a group of the figures.
func (s Stats) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("name", s.Name), slog.String("state", s.State),
		slog.Int("workers", s.Workers), slog.Int("idle", s.Idle), slog.Int("largest", s.Largest),
		slog.Int("active", s.Active), slog.Int("queued", s.Queued), slog.Int("delayed", s.Delayed),
		slog.Uint64("submitted", s.Submitted), slog.Uint64("completed", s.Completed), slog.Uint64("discarded", s.Discarded),
		slog.Uint64("cancelled", s.Cancelled), slog.Uint64("rejected", s.Rejected), slog.Uint64("callerRuns", s.CallerRuns),
	)
}
