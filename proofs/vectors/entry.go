package vectors

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/goreactor/reactor"
)

// Entry is one line of what was observed or expected.
type Entry struct {
	T     int64  // virtual milliseconds
	Op    string // peek: the tag, or "dropped"
	Text  string // the signal or event
	Value string // its details
	N     int64  // demand, for requests
}

// String renders the entry for people and for comparison.
func (e Entry) String() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%4d ", e.T)
	if e.Op != "" {
		sb.WriteString("#" + e.Op + " ")
	}
	sb.WriteString(e.Text)
	if e.Value != "" {
		sb.WriteString(" " + e.Value)
	}
	if e.isRequest() {
		sb.WriteString(" " + demandText(e.N))
	}
	return sb.String()
}

func (e Entry) isRequest() bool { return e.Text == "request" }

// secondTier reports whether the entry follows Reactor's implementation rather
// than the meaning of its operators.
func (e Entry) secondTier() bool {
	return e.isRequest() || e.Text == "discard" || e.Op == "dropped"
}

func demandText(n int64) string {
	if n == reactor.Unbounded {
		return "unbounded"
	}
	return strconv.FormatInt(n, 10)
}

// parseEntries reads one of the lists of a vector's expectations.
func parseEntries(raw []node) []Entry {
	out := make([]Entry, 0, len(raw))
	for _, n := range raw {
		out = append(out, parseEntry(n))
	}
	return out
}

func parseEntry(n node) Entry {
	a := &Args{name: "expectation", node: n}
	e := Entry{T: int64(a.Int("t"))}
	switch {
	case a.Has("ev"):
		e.Op, e.Text = string(n["op"]), a.Str("ev")
		var parts []string
		if a.Has("e") {
			parts = append(parts, "e="+a.Str("e"))
		}
		if a.Has("v") {
			parts = append(parts, "v="+Text(a.Value("v")))
		}
		e.Value = strings.Join(parts, " ")
		if a.Has("n") {
			e.N = parseDemand(n["n"])
		}
	case a.Has("dropped"):
		e.Op, e.Text = "dropped", a.Str("dropped")
		if a.Has("e") {
			e.Value = "e=" + a.Str("e")
		} else {
			e.Value = "v=" + Text(a.Value("v"))
		}
	case a.Has("next"):
		e.Text, e.Value = "next", Text(a.Value("next"))
	case a.Has("error"):
		e.Text, e.Value = "error", a.Str("error")
	case a.Has("complete"):
		e.Text = "complete"
	case a.Has("subscribe"):
		e.Text = "subscribe"
	case a.Has("cancel"):
		e.Text = "cancel"
	case a.Has("request"):
		e.Text, e.N = "request", parseDemand(n["request"])
	default:
		panic(fmt.Sprintf("vectors: unknown expectation %v", n))
	}
	if a.Has("result") {
		e.Value += fmt.Sprintf(" -> %s, %d subscribers", a.Str("result"), a.Int("subscribers"))
	}
	return e
}

func parseDemand(raw json.RawMessage) int64 {
	if string(raw) == `"unbounded"` {
		return reactor.Unbounded
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		panic("vectors: demand " + string(raw) + " is no integer")
	}
	return n
}
