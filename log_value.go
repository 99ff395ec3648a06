package reactor

import "log/slog"

// LogValue implements slog.LogValuer: a group of the kind and, if there is one, the
// value or the error.
func (s Signal[T]) LogValue() slog.Value {
	kind := slog.String("kind", s.kind.String())
	switch s.kind {
	case KindNext:
		return slog.GroupValue(kind, slog.Any("value", s.value))
	case KindError:
		return slog.GroupValue(kind, slog.Any("error", s.err))
	}
	return slog.GroupValue(kind)
}

// LogValue implements slog.LogValuer: a group of the operator, the kind and, if there
// are any, the detail and the cause.
func (e *OpError) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("op", e.Op), slog.String("kind", NonNil(e.Kind).Error())}
	if e.Detail != "" {
		attrs = append(attrs, slog.String("detail", e.Detail))
	}
	if e.Cause != nil {
		attrs = append(attrs, slog.Any("cause", e.Cause))
	}
	return slog.GroupValue(attrs...)
}

// LogValue implements slog.LogValuer: the text without the stack, which %+v adds.
func (e *PanicError) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// LogValue implements slog.LogValuer: a group of the error and the checkpoints that
// it has passed, without their stacks; %+v prints those too.
func (e *CheckpointError) LogValue() slog.Value {
	passed := make([]string, len(e.Checkpoints))
	for i, c := range e.Checkpoints {
		passed[i] = c.String()
	}
	return slog.GroupValue(slog.Any("error", NonNil(e.Err)), slog.Any("passed", passed))
}
