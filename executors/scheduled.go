package executors

type schedule struct{}
type series struct{}
type timedSettings struct{}

func (*schedule) closing(p *ThreadPool) []entry { return nil }
func (*schedule) notDue(now int64) int          { return 0 }
func (p *ThreadPool) armDue()                   {}
func (p *ThreadPool) again(h *Handle) bool      { return false }
