package slogstream_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/goreactor/reactor/adapt/slogstream"
	"github.com/goreactor/reactor/schedulers"
)

func ExampleNewHandler() {
	logs := slogstream.NewHandler(slogstream.Level(slog.LevelWarn))
	done := make(chan struct{})
	logs.Records().SubscribeFunc(context.Background(), func(r slog.Record) {
		fmt.Println(r.Level, r.Message)
		close(done)
	})
	log := slog.New(logs)
	log.Info("all is well")
	log.Warn("the disk is nearly full")
	<-done
	// Output: WARN the disk is nearly full
}

func ExampleCapacity() {
	logs := slogstream.NewHandler(slogstream.Capacity(1000), slogstream.On(schedulers.Single()))
	fmt.Println(logs.Dropped())
	// Output: 0
}

func ExampleLevel() {
	var level slog.LevelVar
	slogstream.NewHandler(slogstream.Level(&level))
	level.Set(slog.LevelDebug) // from now on
	// Output:
}

func ExampleOn() {
	fmt.Printf("%T\n", slogstream.On(schedulers.Single()))
	// Output: slogstream.OnOption
}
