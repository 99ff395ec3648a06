// Package slogstream makes a stream of what is logged with package log/slog.
//
//	logs := slogstream.NewHandler(slogstream.Level(slog.LevelWarn))
//	slog.SetDefault(slog.New(logs.Over(slog.NewTextHandler(os.Stderr, nil))))
//	logs.Records().Window(…)
package slogstream
