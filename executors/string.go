package executors

import "fmt"

// What users may print has a String. Without it package fmt would read fields that other goroutines write: to print a job, or a
// context, as mocks do with their arguments, would be a race, or end the process.

// String returns for example "task of pool \"io\"".
func (h *Handle) String() string {
	if h.pool == nil {
		return "task of no pool"
	}
	return "task of " + h.pool.String()
}

// String returns for example "job \"export\"". [Job.Stats] has figures.
func (j *Job) String() string { return fmt.Sprintf("job %q", j.name) }

// String returns for example "task scheduler \"nightly\"". [TaskScheduler.Stats] has figures.
func (s *TaskScheduler) String() string {
	if !s.made() {
		return "task scheduler of no pool"
	}
	return fmt.Sprintf("task scheduler %q", s.pool.pool.name)
}

// String returns for example "run of pool \"io\"", as contexts describe themselves.
func (c *runContext) String() string { return "run of " + c.pool.String() }
