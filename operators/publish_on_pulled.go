package operators

// pull is the flow of a stage whose source sends what a worker asks it for, within that and straight
// down: there is nothing in between that would have to be done elsewhere.
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
