package keylock

import (
	"context"

	"github.com/goreactor/reactor/internal/argument"
)

// Job returns fn as a job for executors.TaskScheduler. A run of the job is left out
// if key is not free: two schedules, or with a [Backend] two processes, never run fn
// at the same time.
//
//	nightly := cron.Lenient(cron.MustParse("0 0 3 * * *"), nil)
//	scheduler.On(nightly, locks.Job("nightly", export, keylock.LeaseTime(2*time.Hour)), executors.Named("nightly"))
//
// A run that is left out is no failure: it returns nil and counts in Stats.Skipped. A
// run within [LockDelay] after an expiry is left out, too. A run whose Backend does not
// answer fails, because perhaps nobody holds the key. With a [WaitTime] among opts a
// run first waits for the key. The context of fn ends with the lease, as for any other
// call: after 10 seconds, unless a [LeaseTime] among opts or of the manager says
// otherwise. Give the job a name in the scheduler: by default a scheduler names a job
// after its function, and that function is the same for all jobs of this method.
//
// The outcome of a run is what [Manager.Do] would return, the error of fn included. A
// nil fn, and an option that can't be used, panic.
func (m *Manager) Job(key string, fn func(ctx context.Context) error, opts ...CallOption) func(ctx context.Context) error {
	argument.NotNil("keylock: Job", "function", fn)
	opts = append([]CallOption{WaitTime(0)}, opts...)
	if _, err := m.callOf("Job", key, opts); err != nil {
		panic(err.Error())
	}
	return func(ctx context.Context) error {
		ran := false
		_, err := m.Do(ctx, key, func(ctx context.Context, _ Lease) (struct{}, error) {
			ran = true
			return struct{}{}, fn(ctx)
		}, opts...)
		// ran comes last: behind a lease that has expired fn may be running still.
		if e, ok := err.(*Error); ok && e.Kind == ErrWaitTimeout && e.Cause == nil && !ran {
			m.add(skippedCount)
			return nil
		}
		return err
	}
}
