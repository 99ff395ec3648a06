package operators

import "github.com/goreactor/reactor/internal/protocol"

// pulledSource is a source that sends what a worker asks it for, within that and straight down: there is
// nothing in between that would have to be done elsewhere. All of it belongs to the worker.
type pulledSource struct {
	on   bool             // set by OnSubscribe, before there can be a task
	call protocol.Calling // an element is on its way down
	sent int64            // elements of this request that have gone down
}

// pull is the flow of a stage whose source is pulled.
func (s *workerStage) pull(p *pulledSource) {
	for turn := int64(publishOnTurn); s.out.Open(); turn -= p.sent {
		n := min(s.out.Demand(), turn)
		if n == 0 {
			if turn == 0 {
				s.out.Yield()
			}
			return
		}
		p.sent = 0
		s.up.Request(n)
		s.out.Produced(p.sent)
	}
	s.worker.Dispose()
}
