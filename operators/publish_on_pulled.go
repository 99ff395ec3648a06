package operators

// pull is the flow of a stage whose source sends the elements that a worker requests within the
// request and straight down: nothing in between would have to run on another goroutine.
func (s *workerStage) pull() {
	for turn := int64(publishOnTurn); s.out.Open(); {
		n := min(s.out.Demand(), turn)
		if n == 0 {
			if turn == 0 {
				s.out.Yield()
			}
			return
		}
		s.up.Request(n)
		s.out.Produced(n) // less only if that was the end
		turn -= n
	}
	s.worker.Dispose()
}
