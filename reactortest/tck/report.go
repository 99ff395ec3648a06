package tck

// Result is what a test of the kit has come to.
type Result struct {
	Name    string // of the test, as in the original
	Rule    string // for example "§1.1"
	Failed  string // what was seen instead of what the rule demands, "" if it was kept
	Skipped string // why it was not run, or that an optional rule is not kept; "" if it was kept or broken
}

// CheckPublisher runs all tests of publishers on p outside of a test, on the wall clock, and returns what they
// have come to: for tools and reports. [InBubbles] has no effect.
func CheckPublisher[T any](p Publisher[T], opts ...Option) []Result {
	if p.Create == nil {
		panic("tck: CheckPublisher: Publisher.Create is nil")
	}
	c := newConfig("CheckPublisher", opts)
	var out []Result
	for _, ch := range publisherChecks(p) {
		r := perform(c, ch)
		res := Result{Name: ch.name, Rule: ch.rule, Skipped: r.skip}
		if r.failed != "" {
			res.Failed = r.String()
		}
		out = append(out, res)
	}
	return out
}
