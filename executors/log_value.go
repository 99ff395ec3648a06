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

// LogValue implements slog.LogValuer: a group of the figures.
func (s JobStats) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("name", s.Name), slog.Bool("done", s.Done), slog.Int("running", s.Running),
		slog.Uint64("runs", s.Runs), slog.Uint64("failures", s.Failures), slog.Uint64("skipped", s.Skipped),
	}
	if !s.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", s.Next))
	}
	if !s.LastStart.IsZero() {
		attrs = append(attrs, slog.Time("lastStart", s.LastStart), slog.Duration("lastDuration", s.LastDuration))
	}
	if s.LastError != nil {
		attrs = append(attrs, slog.Any("lastError", s.LastError))
	}
	return slog.GroupValue(attrs...)
}
