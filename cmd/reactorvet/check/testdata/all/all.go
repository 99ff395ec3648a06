package all

import (
	"context"

	"github.com/goreactor/reactor/flux"
)

func found(ctx context.Context, f flux.Flux[int]) {
	for range f.All(ctx) { // want `the error of f\.All is not looked at: the stream may have failed`
	}
	for v := range f.Take(1).All(ctx) { // want `the error of f\.Take\(1\)\.All is not looked at`
		_ = v
	}
	pairs := f.All(ctx)
	for range pairs { // want `the error of f\.All is not looked at`
	}
	for v, _ := range f.All(ctx) { // want `is not looked at`
		_ = v
	}
}

type list struct{}

func (list) All(yield func(int) bool) {}

func fine(ctx context.Context, f flux.Flux[int]) error {
	for v, err := range f.All(ctx) {
		if err != nil {
			return err
		}
		_ = v
	}
	for range (list{}).All {
	}
	//reactorvet:ignore it is left at once
	for range f.All(ctx) {
		break
	}
	return nil
}
