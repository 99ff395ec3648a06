package bytestream

import (
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

// defaultMaxLine is the limit of a line or record, in bytes.
const defaultMaxLine = 1 << 20

// config is what the options set.
type config struct {
	on             schedulers.Scheduler // nil is schedulers.BoundedElastic(), with a goroutine that opens a reader
	maxLine        int
	reuse          bool
	full           bool
	validUTF8      bool
	closeAfterRead bool
	comma, comment rune
	fields         int
	lazyQuotes     bool
	prefetch       int
	ahead          bool // [Prefetch] was given, so reading and writing overlap
}

func newConfig() config { return config{maxLine: defaultMaxLine, prefetch: 1} }

// Option is an option of every function that reads: [On], [CloseAfterRead].
type Option interface {
	LinesOption
	ChunksOption
	RecordsOption
	CSVOption
	JSONLinesOption
}

// LinesOption is an option of [Lines]: [MaxLine], [ValidUTF8], or an [Option].
type LinesOption interface{ applyLines(*config) }

// ChunksOption is an option of [Chunks]: [Full], [Reuse], or an [Option].
type ChunksOption interface{ applyChunks(*config) }

// RecordsOption is an option of [Records]: [MaxRecord], [Reuse], or an [Option].
type RecordsOption interface{ applyRecords(*config) }

// CSVOption is an option of [CSV]: [Comma], [Comment], [Fields], [LazyQuotes],
// [MaxRecord], [Reuse], [ValidUTF8], or an [Option].
type CSVOption interface{ applyCSV(*config) }

// JSONLinesOption is an option of [JSONLines]: [MaxLine], or an [Option].
type JSONLinesOption interface{ applyJSONLines(*config) }

// WriteOption is an option of [Write]: [On], [Prefetch].
type WriteOption interface{ applyWrite(*config) }

// ReaderOption is an option of [NewReader]: [Prefetch].
type ReaderOption interface{ applyReader(*config) }

// OnOption is the scheduler on which a function blocks.
type OnOption struct{ scheduler schedulers.Scheduler }

// On sets the scheduler whose worker opens, reads, writes and closes, instead of a worker of
// schedulers.BoundedElastic() and a goroutine that opens. Opening must not wait for something that
// needs a lane of s, if other streams of s keep the lanes while they wait for the same. On panics
// if s is nil.
func On(s schedulers.Scheduler) OnOption {
	argument.NotNil("bytestream.on", "scheduler", s)
	return OnOption{foreign.Scheduler(s)}
}

func (o OnOption) applyLines(c *config)     { c.on = o.scheduler }
func (o OnOption) applyChunks(c *config)    { c.on = o.scheduler }
func (o OnOption) applyRecords(c *config)   { c.on = o.scheduler }
func (o OnOption) applyCSV(c *config)       { c.on = o.scheduler }
func (o OnOption) applyJSONLines(c *config) { c.on = o.scheduler }
func (o OnOption) applyWrite(c *config)     { c.on = o.scheduler }

// CloseAfterReadOption keeps Close and Read apart.
type CloseAfterReadOption bool

// CloseAfterRead makes a cancellation wait for the Read that is under way before it closes the
// reader. It is for readers whose Close must not overlap a Read, such as those of package
// compress/gzip, and for readers whose Close waits for the Read and so would hold up the caller
// that cancels, such as Take. The body of a request within its handler is a reader of the second
// kind.
func CloseAfterRead() CloseAfterReadOption { return true }

func (o CloseAfterReadOption) applyLines(c *config)     { c.closeAfterRead = bool(o) }
func (o CloseAfterReadOption) applyChunks(c *config)    { c.closeAfterRead = bool(o) }
func (o CloseAfterReadOption) applyRecords(c *config)   { c.closeAfterRead = bool(o) }
func (o CloseAfterReadOption) applyCSV(c *config)       { c.closeAfterRead = bool(o) }
func (o CloseAfterReadOption) applyJSONLines(c *config) { c.closeAfterRead = bool(o) }

// MaxLineOption is how many bytes a line may have.
type MaxLineOption int

// MaxLine sets how many bytes a line may have, without its end; by default 1 MiB. A
// longer line fails the stream. The function that gets MaxLine panics unless n > 0.
func MaxLine(n int) MaxLineOption { return MaxLineOption(n) }

func (o MaxLineOption) applyLines(c *config)     { c.maxLine = int(o) }
func (o MaxLineOption) applyJSONLines(c *config) { c.maxLine = int(o) }

// MaxRecordOption is how many bytes a record may have.
type MaxRecordOption int

// MaxRecord sets how many bytes a record may have; by default 1 MiB. A longer record
// fails the stream. Beyond that limit, two bytes are allowed for what separates
// records, such as \r\n. For [CSV] a record includes everything on its lines: their
// ends, and the comments and blank lines in front of it. The function that gets
// MaxRecord panics unless n > 0.
func MaxRecord(n int) MaxRecordOption { return MaxRecordOption(n) }

func (o MaxRecordOption) applyRecords(c *config) { c.maxLine = int(o) }
func (o MaxRecordOption) applyCSV(c *config)     { c.maxLine = int(o) }

// ReuseOption lets elements share memory.
type ReuseOption bool

// Reuse makes all elements of a stream share their memory: each is valid only until
// OnNext has returned. With Reuse your code must not keep an element, and no stage in
// between may keep one, as buffer, publishOn and flatMap do. [Write], [NewReader] and
// the handlers of package httpstream may be given such a stream directly: those of them
// that hold elements ignore Reuse.
func Reuse() ReuseOption { return true }

func (o ReuseOption) applyChunks(c *config)  { c.reuse = bool(o) }
func (o ReuseOption) applyRecords(c *config) { c.reuse = bool(o) }
func (o ReuseOption) applyCSV(c *config)     { c.reuse = bool(o) }

// FullOption fills chunks.
type FullOption bool

// Full makes every chunk but the last one as long as it may be. Without Full a chunk is
// what one Read has returned, so that no chunk waits for more bytes.
func Full() FullOption { return true }

func (o FullOption) applyChunks(c *config) { c.full = bool(o) }

// ValidUTF8Option refuses text that is not UTF-8.
type ValidUTF8Option bool

// ValidUTF8 makes a line or record that is not valid UTF-8 fail the stream with
// [ErrMalformed]; the error names the first byte that is not valid. Without ValidUTF8
// strings hold whatever bytes were read.
func ValidUTF8() ValidUTF8Option { return true }

func (o ValidUTF8Option) applyLines(c *config) { c.validUTF8 = bool(o) }
func (o ValidUTF8Option) applyCSV(c *config)   { c.validUTF8 = bool(o) }

// CommaOption is the separator of fields.
type CommaOption rune

// Comma sets the character between two fields, instead of a comma.
func Comma(r rune) CommaOption { return CommaOption(r) }

func (o CommaOption) applyCSV(c *config) { c.comma = rune(o) }

// CommentOption is what begins a comment.
type CommentOption rune

// Comment makes the stream ignore lines that begin with r.
func Comment(r rune) CommentOption { return CommentOption(r) }

func (o CommentOption) applyCSV(c *config) { c.comment = rune(o) }

// FieldsOption is how many fields a record has.
type FieldsOption int

// Fields sets how many fields every record must have. The default, 0, means as many as
// the first record has; with n < 0 the records may differ.
func Fields(n int) FieldsOption { return FieldsOption(n) }

func (o FieldsOption) applyCSV(c *config) { c.fields = int(o) }

// LazyQuotesOption tolerates quotes in odd places.
type LazyQuotesOption bool

// LazyQuotes allows quotes within fields that are not quoted, and quotes that are not
// doubled within quoted fields.
func LazyQuotes() LazyQuotesOption { return true }

func (o LazyQuotesOption) applyCSV(c *config) { c.lazyQuotes = bool(o) }

// PrefetchOption is how many elements are requested ahead.
type PrefetchOption int

// Prefetch sets how many chunks are requested ahead of the one that is being written or
// read; by default 1. The function that gets Prefetch panics unless n > 0.
func Prefetch(n int) PrefetchOption { return PrefetchOption(n) }

func (o PrefetchOption) applyWrite(c *config)  { c.prefetch, c.ahead = int(o), true }
func (o PrefetchOption) applyReader(c *config) { c.prefetch = int(o) }
