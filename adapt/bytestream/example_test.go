package bytestream_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

const logged = "GET /a 200\nGET /b 500\nPOST /c 500\n"

func ExampleLines() {
	failures := bytestream.Lines(bytestream.From(strings.NewReader(logged))).
		Filter(func(line string) bool { return strings.HasSuffix(line, " 500") })
	for line, err := range failures.All(context.Background()) {
		fmt.Println(line, err)
	}
	// Output:
	// GET /b 500 <nil>
	// POST /c 500 <nil>
}

func ExampleMaxLine() {
	_, err := bytestream.Lines(bytestream.From(strings.NewReader(logged)), bytestream.MaxLine(10)).Collect(context.Background())
	fmt.Println(err)
	// Output: reactor: bytestream.lines: too long: line 3, at byte 22: more than 10 bytes
}

func ExampleValidUTF8() {
	_, err := bytestream.Lines(bytestream.From(strings.NewReader("a\nb\xff\n")), bytestream.ValidUTF8()).Collect(context.Background())
	fmt.Println(err)
	// Output: reactor: bytestream.lines: malformed: line 2, at byte 3: invalid UTF-8
}

func ExampleChunks() {
	chunks := bytestream.Chunks(bytestream.From(strings.NewReader("abcde")), 2)
	_ = chunks.ForEach(context.Background(), func(chunk []byte) { fmt.Printf("%s\n", chunk) })
	// Output:
	// ab
	// cd
	// e
}

func ExampleFull() {
	text := io.MultiReader(strings.NewReader("a"), strings.NewReader("bcd"))
	chunks := bytestream.Chunks(bytestream.From(text), 2, bytestream.Full())
	_ = chunks.ForEach(context.Background(), func(chunk []byte) { fmt.Printf("%s\n", chunk) })
	// Output:
	// ab
	// cd
}

func ExampleReuse() {
	words := bytestream.Records(bytestream.From(strings.NewReader("to be or not to be")), bufio.ScanWords, bytestream.Reuse())
	letters := 0
	_ = words.ForEach(context.Background(), func(word []byte) { letters += len(word) })
	fmt.Println(letters)
	// Output: 13
}

func ExampleRecords() {
	words := bytestream.Records(bytestream.From(strings.NewReader("to be")), bufio.ScanWords)
	_ = words.ForEach(context.Background(), func(word []byte) { fmt.Println(string(word)) })
	// Output:
	// to
	// be
}

func ExampleMaxRecord() {
	words := bytestream.Records(bytestream.From(strings.NewReader("that is the question")), bufio.ScanWords, bytestream.MaxRecord(5))
	n, err := words.Count().Block(context.Background())
	fmt.Println(n, err)
	// Output: 0 reactor: bytestream.records: too long: record 4, at byte 12: more than 5 bytes
}

func ExampleJSONLines() {
	type order struct{ ID, Cents int }
	orders := bytestream.JSONLines[order](bytestream.From(strings.NewReader(`{"id":1,"cents":250}
{"id":2,"cents":999}
`)))
	total, err := orders.Map(func(o order) int { return o.Cents }).Reduce(func(a, b int) int { return a + b }).Block(context.Background())
	fmt.Println(total, err)
	// Output: 1249 <nil>
}

func ExampleCSV() {
	_ = bytestream.CSV(bytestream.From(strings.NewReader("name,age\nAda,36\n"))).
		Skip(1).
		ForEach(context.Background(), func(record []string) { fmt.Println(record[0], record[1]) })
	// Output: Ada 36
}

func ExampleComma() {
	printCSV("a;b\n", bytestream.Comma(';'))
	// Output: ["a" "b"]
}

func ExampleComment() {
	printCSV("# names\na,b\n", bytestream.Comment('#'))
	// Output: ["a" "b"]
}

func ExampleFields() {
	printCSV("a,b\nc\n", bytestream.Fields(2))
	// Output:
	// ["a" "b"]
	// reactor: bytestream.csv: malformed: record 2, at byte 4: record on line 2: wrong number of fields
}

func ExampleLazyQuotes() {
	printCSV("a \"b\",c\n", bytestream.LazyQuotes())
	// Output: ["a \"b\"" "c"]
}

func printCSV(text string, opts ...bytestream.CSVOption) {
	for record, err := range bytestream.CSV(bytestream.From(strings.NewReader(text)), opts...).All(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q\n", record)
	}
}

func ExampleFile() {
	_, err := bytestream.Lines(bytestream.File("no/such/file")).Collect(context.Background())
	fmt.Println(err)
	// Output: open no/such/file: no such file or directory
}

func ExampleFrom() {
	lines := bytestream.Lines(bytestream.From(strings.NewReader("once\n")))
	fmt.Println(lines.Collect(context.Background()))
	fmt.Println(lines.Collect(context.Background()))
	// Output:
	// [once] <nil>
	// [] reactor: bytestream.from: illegal state: the *strings.Reader can be read by one subscriber only
}

func ExampleOn() {
	files := schedulers.NewSingle("files")
	defer files.Dispose()
	n, _ := bytestream.Lines(bytestream.From(strings.NewReader(logged)), bytestream.On(files)).Count().Block(context.Background())
	fmt.Println(n)
	// Output: 3
}

// A decompressor must not be closed while it reads.
func ExampleCloseAfterRead() {
	open := func(context.Context) (io.ReadCloser, error) {
		file, err := os.Open("access.log.gz")
		if err != nil {
			return nil, err
		}
		return gzip.NewReader(file)
	}
	_, err := bytestream.Lines(open, bytestream.CloseAfterRead()).Collect(context.Background())
	fmt.Println(os.IsNotExist(err))
	// Output: true
}

func ExampleAbandonedReads() {
	fmt.Println(bytestream.AbandonedReads())
	// Output: 0
}

func ExampleWrite() {
	var text bytes.Buffer
	chunks := flux.Just("to ", "be").Map(func(s string) []byte { return []byte(s) })
	n, err := bytestream.Write(chunks, bytestream.To(&text)).Block(context.Background())
	fmt.Println(n, err, text.String())
	// Output: 5 <nil> to be
}

func ExampleTo() {
	var text strings.Builder
	_, _ = bytestream.Write(flux.Just([]byte("hello")), bytestream.To(&text)).Block(context.Background())
	fmt.Println(text.String())
	// Output: hello
}

func ExampleNewFile() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "copy")
	n, err := bytestream.Write(flux.Just([]byte("hello")), bytestream.NewFile(name)).Block(context.Background())
	fmt.Println(n, err)
	// Output: 5 <nil>
}

func ExamplePrefetch() {
	chunks := bytestream.Chunks(bytestream.From(strings.NewReader("abcdef")), 2)
	n, err := bytestream.Write(chunks, bytestream.To(io.Discard), bytestream.Prefetch(2)).Block(context.Background())
	fmt.Println(n, err)
	// Output: 6 <nil>
}

func ExampleNewReader() {
	chunks := flux.Just("to ", "be").Map(func(s string) []byte { return []byte(s) })
	r := bytestream.NewReader(context.Background(), chunks)
	defer r.Close()
	text, err := io.ReadAll(r)
	fmt.Printf("%s %v\n", text, err)
	// Output: to be <nil>
}
