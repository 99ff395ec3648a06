package vectors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Vector is one line of a file.
type Vector struct {
	ID, Class string
	File      string
	Line      string // the JSON text

	program struct {
		Src    json.RawMessage `json:"src"`
		Ops    []node          `json:"ops"`
		Sink   node            `json:"sink"`
		Script []node          `json:"script"`
	}
	rawProgram  json.RawMessage
	subscribers []subscriberSpec
	multiple    bool // run.subscribers, not run.demand
	strict      bool
	bare        bool // no recorder behind the source
	until       int64
	connection  connection
	expect      Outcome
	unreadable  error // why the line is no vector
}

// Outcome is what was observed, or what is expected to be.
type Outcome struct {
	Subscribers [][]Entry
	Source      []Entry
	Peek        []Entry
	Emits       []Entry
}

type subscriberSpec struct {
	at       *int64 // nil: somebody else's act makes it subscribe
	demand   []demandEntry
	cancelAt *int64
	reaction reaction
	emit     node // what an element makes it emit into the sink; nil: nothing
	act      node // what else an element makes it do; nil: nothing
}

// connection is when what is shared is connected, disconnected and connected again.
type connection struct {
	ConnectAt    *int64 `json:"connectAt"`
	DisconnectAt *int64 `json:"disconnectAt"`
	ReconnectAt  *int64 `json:"reconnectAt"`
}

// reaction is what elements make a subscriber do.
type reaction struct {
	Each        amount `json:"each"`        // what each makes it request
	CancelAfter *int64 `json:"cancelAfter"` // how many make it cancel; nil: none do
}

type demandEntry struct{ at, n int64 }

// amount is a demand, perhaps an unbounded one.
type amount int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *amount) UnmarshalJSON(raw []byte) error {
	*n = amount(parseDemand(raw))
	return nil
}

// Load reads every *.jsonl file of a folder and of those in it, in the order of the
// names. A line that is no vector becomes one that fails.
func Load(dir string) ([]*Vector, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".jsonl" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no *.jsonl files in %s", dir)
	}
	var out []*Vector
	for _, file := range files {
		vs, err := loadFile(file)
		if err != nil {
			return nil, err
		}
		out = append(out, vs...)
	}
	return out, nil
}

func loadFile(file string) (out []*Vector, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		v, err := Parse(lines.Text())
		if err != nil {
			v = &Vector{ID: fmt.Sprintf("%s:%d", filepath.Base(file), n), Class: "unreadable", Line: lines.Text(), unreadable: err}
		}
		v.File = filepath.Base(file)
		out = append(out, v)
	}
	return out, lines.Err()
}

// Parse reads one vector.
func Parse(line string) (v *Vector, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	var raw struct {
		ID      string          `json:"id"`
		Class   string          `json:"class"`
		Program json.RawMessage `json:"program"`
		Run     struct {
			Demand   json.RawMessage `json:"demand"`
			CancelAt *int64          `json:"cancelAt"`
			Until    int64           `json:"until"`
			Strict   bool            `json:"strict"`
			Bare     bool            `json:"bare"`
			reaction
			connection
			Act         node `json:"act"`
			Subscribers []struct {
				At       *int64          `json:"at"`
				Demand   json.RawMessage `json:"demand"`
				CancelAt *int64          `json:"cancelAt"`
				Emit     node            `json:"emit"`
				Act      node            `json:"act"`
				reaction
			} `json:"subscribers"`
		} `json:"run"`
		Expect struct {
			Signals     []node   `json:"signals"`
			Subscribers [][]node `json:"subscribers"`
			Source      []node   `json:"source"`
			Peek        []node   `json:"peek"`
			Emits       []node   `json:"emits"`
		} `json:"expect"`
	}
	if err := json.Unmarshal([]byte(line), &raw); err != nil {
		return nil, err
	}
	v = &Vector{ID: raw.ID, Class: raw.Class, Line: line, rawProgram: raw.Program}
	if err := json.Unmarshal(raw.Program, &v.program); err != nil {
		return nil, err
	}
	v.until, v.strict, v.bare, v.connection = raw.Run.Until, raw.Run.Strict, raw.Run.Bare, raw.Run.connection
	if raw.Run.Subscribers != nil {
		v.multiple = true
		for _, s := range raw.Run.Subscribers {
			v.subscribers = append(v.subscribers, subscriberSpec{s.At, parseDemands(s.Demand), s.CancelAt, s.reaction, s.Emit, s.Act})
		}
	} else {
		v.subscribers = []subscriberSpec{{new(int64), parseDemands(raw.Run.Demand), raw.Run.CancelAt, raw.Run.reaction, nil, raw.Run.Act}}
	}
	if v.multiple {
		for _, list := range raw.Expect.Subscribers {
			v.expect.Subscribers = append(v.expect.Subscribers, parseEntries(list))
		}
	} else {
		v.expect.Subscribers = [][]Entry{parseEntries(raw.Expect.Signals)}
	}
	v.expect.Source = parseEntries(raw.Expect.Source)
	v.expect.Peek = parseEntries(raw.Expect.Peek)
	v.expect.Emits = parseEntries(raw.Expect.Emits)
	return v, nil
}

func parseDemands(raw json.RawMessage) []demandEntry {
	if raw == nil {
		return nil
	}
	if string(raw) == `"unbounded"` {
		return []demandEntry{{0, parseDemand(raw)}}
	}
	var list [][2]json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		panic("vectors: demand " + string(raw) + ": " + err.Error())
	}
	out := make([]demandEntry, len(list))
	for i, e := range list {
		out[i] = demandEntry{parseDemand(e[0]), parseDemand(e[1])}
	}
	return out
}
