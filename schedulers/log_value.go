package schedulers

import "log/slog"

// LogValue implements slog.LogValuer: a group of the figures, without those of the
// single slots.
func (st Stats) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("kind", st.Kind), slog.String("name", st.Name), slog.Bool("disposed", st.Disposed),
		slog.Int("workers", st.Workers), slog.Int("busy", st.Busy),
		slog.Int("queued", st.Queued), slog.Int("delayed", st.Delayed), slog.Int("running", st.Running),
		slog.Uint64("completed", st.Completed), slog.Uint64("dropped", st.Dropped), slog.Uint64("rejected", st.Rejected),
	)
}
