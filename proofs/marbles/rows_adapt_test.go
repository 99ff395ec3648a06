package marbles

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"net/http"
	"strings"

	rx "github.com/reactivex/rxgo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/execstream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/sqlstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/interop/rxgo"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// text is what Records and Chunks emit, to be read.
func text(b []byte) string { return string(b) }

func reading(content string) bytestream.Opener { return bytestream.From(strings.NewReader(content)) }

// adaptRows are those of the packages that make streams of what is no stream.
var adaptRows = map[string]row{
	"bytestream.Chunks":    from(func(*sources) texts { return bytestream.Chunks(reading("abcde"), 2).Map(text) }),
	"bytestream.CSV":       from(func(*sources) flux.Flux[[]string] { return bytestream.CSV(reading("a,b\n1,2\n")) }),
	"bytestream.JSONLines": from(func(*sources) ints { return bytestream.JSONLines[int](reading("1\n2\n")) }),
	"bytestream.Lines":     from(func(*sources) texts { return bytestream.Lines(reading("a\nb\r\nc")) }),
	"bytestream.Records": from(func(*sources) texts {
		return bytestream.Records(reading("to be"), bufio.ScanWords).Map(text)
	}),
	"bytestream.Write": from(func(s *sources) mono.Mono[int64] {
		return bytestream.Write(s.of("src", func(text string) []byte { return []byte(text) }), bytestream.To(io.Discard),
			bytestream.On(schedulers.FromExecutor(threads{}))) // it waits, which would hold up the clock
	}),
	"execstream.Output": from(func(*sources) texts {
		return execstream.Output(execstream.Command("sh", "-c", "echo a; echo b")).Map(func(l execstream.Line) string {
			return fmt.Sprintf("{%s %s}", map[execstream.Stream]string{execstream.Stdout: "stdout"}[l.Stream], l.Text)
		})
	}),
	"httpstream.Do": from(func(s *sources) mono.Mono[string] {
		req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://orders.test/", nil)
		require.NoError(s.t, err)
		return httpstream.Do(&http.Client{Transport: answer{}}, req).Map(func(*httpstream.Response) string { return "response" })
	}),
	"sqlstream.Query": from(func(s *sources) texts {
		return sqlstream.Query(s.database(&store{}), sqlstream.SQL("SELECT name FROM users"), sqlstream.Column[string])
	}),
	"sqlstream.Exec": from(func(s *sources) mono.Mono[string] {
		return sqlstream.Exec(s.database(&store{}), sqlstream.SQL("DELETE FROM carts")).Map(func(sql.Result) string { return "result" })
	}),
	"sqlstream.Transaction": from(func(s *sources) ints {
		st := &store{}
		s.check = append(s.check, func() { assert.Equal(s.t, []string{"BEGIN", "COMMIT"}, st.log) })
		return sqlstream.Transaction(s.database(st), func(*sql.Tx) ints { return flux.Just(1, 2) })
	}),
	"sqlstream.InTransaction": from(func(s *sources) mono.Mono[int] {
		st := &store{}
		s.check = append(s.check, func() { assert.Equal(s.t, []string{"BEGIN", "COMMIT"}, st.log) })
		return sqlstream.InTransaction(s.database(st), func(*sql.Tx) mono.Mono[int] { return mono.Just(1) })
	}),
	"rxgo.ToFlux": func(s *sources) reactor.Publisher[any] {
		items := make(chan rx.Item, 8)
		for i, m := range s.lines["o"][0].marks {
			s.at(m.at, func() {
				switch {
				case m.ends():
					close(items)
				case m.text == "err":
					items <- rx.Error(errMarble)
				default:
					items <- rx.Of(i + 1)
				}
			})
		}
		s.used["o"] = true
		return boxed[int](rxgo.ToFlux[int](rx.FromChannel(items)))
	},
	"rxgo.FromFlux": func(s *sources) reactor.Publisher[any] {
		return boxed[any](flux.Defer(func(context.Context) flux.Flux[any] {
			return flux.FromChan(rxgo.FromFlux(s.ints("f")).Observe()).Map(func(i rx.Item) any {
				if i.Error() {
					return "err"
				}
				return i.V
			})
		}))
	},
	"Manager.Mono": locked(func(m *keylock.Manager, s *sources) mono.Mono[string] {
		return m.Mono("key", mono.From(s.texts("source")))
	}),
	"Manager.Flux": locked(func(m *keylock.Manager, s *sources) texts { return m.Flux("key", flux.From(s.texts("source"))) }),
	"Manager.Grant": locked(func(m *keylock.Manager, s *sources) mono.Mono[string] {
		return m.Grant("key").Map(func(l keylock.Lease) string {
			assert.True(s.t, l.Release())
			return "lease"
		})
	}),
}

// locked is the row of what takes a lock.
func locked[R any, P reactor.Publisher[R]](op func(m *keylock.Manager, s *sources) P) row {
	return func(s *sources) reactor.Publisher[any] {
		m, err := keylock.New()
		require.NoError(s.t, err)
		s.t.Cleanup(m.Close)
		return boxed[R](op(m, s))
	}
}

// threads runs each task on a goroutine.
type threads struct{}

func (threads) Execute(ctx context.Context, task func(context.Context)) error {
	go task(ctx)
	return nil
}

// answer is a server that has nothing to say.
type answer struct{}

func (answer) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}

// store is a database that knows three names.
type store struct {
	log  []string
	next int
}

func (s *sources) database(st *store) *sql.DB {
	db := sql.OpenDB(st)
	s.t.Cleanup(func() { assert.NoError(s.t, db.Close()) })
	return db
}

func (st *store) Connect(context.Context) (driver.Conn, error) { return st, nil }
func (st *store) Driver() driver.Driver                        { return nil }
func (st *store) Prepare(string) (driver.Stmt, error)          { return nil, driver.ErrSkip }
func (st *store) Close() error                                 { return nil }
func (st *store) Begin() (driver.Tx, error)                    { st.log = append(st.log, "BEGIN"); return st, nil }
func (st *store) Commit() error                                { st.log = append(st.log, "COMMIT"); return nil }
func (st *store) Rollback() error                              { st.log = append(st.log, "ROLLBACK"); return nil }
func (st *store) Columns() []string                            { return []string{"name"} }

func (st *store) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}

func (st *store) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return st, nil
}

func (st *store) Next(to []driver.Value) error {
	names := []string{"Ada", "Grace", "Barbara"}
	if st.next == len(names) {
		return io.EOF
	}
	to[0] = names[st.next]
	st.next++
	return nil
}
