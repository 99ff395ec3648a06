package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/goreactor/reactor/benchmarks"
)

// The picture has a line for each row: how long each competitor takes in comparison to this
// library, on a logarithmic scale. Left of the middle it is faster, right slower.
const (
	chartWidth  = 980
	labelWidth  = 385
	lineHeight  = 22
	chartHead   = 76
	chartFoot   = 34
	lowestRatio = 0.1
	mostRatio   = 100
)

// mark is what stands for a competitor, around the origin.
type mark struct{ shape, colour string }

// The shapes: a disc for streams and loops, a square for what runs tasks in Go, a diamond for the executors of the JDK.
const (
	disc    = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
	square  = "M-4.5-4.5h9v9h-9z"
	diamond = "M0-6l6 6-6 6-6-6z"
)

// marks of the competitors: colours of one shape can be told apart with any eyes.
var marks = map[string]mark{
	benchmarks.Hand: {disc, "#7f7f7f"}, benchmarks.IterSeq: {disc, "#0072b2"}, benchmarks.Channel: {disc, "#56b4e9"}, benchmarks.Ro: {disc, "#e69f00"},
	benchmarks.RxGo: {disc, "#d55e00"}, benchmarks.ReactorGo: {disc, "#cc79a7"}, benchmarks.JVM: {disc, "#009e73"},
	benchmarks.GoFunc: {square, "#56b4e9"}, benchmarks.AfterFunc: {square, "#0072b2"}, benchmarks.Ants: {square, "#e69f00"}, benchmarks.Pond: {square, "#d55e00"}, benchmarks.Conc: {square, "#cc79a7"},
	benchmarks.ForkJoin: {diamond, "#004d38"}, benchmarks.Threads: {diamond, "#66c2a5"}, benchmarks.Scheduled: {diamond, "#a6d854"},
}

// at is the opening of the mark of a competitor in the picture.
func at(x float64, y int, name string) string {
	m := marks[name]
	return fmt.Sprintf(`<path transform="translate(%.1f %d)" d="%s" fill="%s">`, x, y, m.shape, m.colour)
}

// chart draws the rows.
func chart(results []*result) string {
	var rows []*result
	for _, r := range results {
		if len(r.order) > 1 {
			rows = append(rows, r)
		}
	}
	height := chartHead + lineHeight*len(rows) + chartFoot
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12">`+"\n", chartWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", chartWidth, height)
	fmt.Fprintf(&b, `<text x="12" y="20" font-size="14" fill="#111111">Time of the competitors beside this library (1 ×), logarithmic</text>`+"\n")
	legend(&b, rows)
	bottom := height - chartFoot
	for ratio := float64(lowestRatio); ratio <= mostRatio; ratio *= 10 {
		for _, step := range []float64{1, 2, 5} {
			if v := ratio * step; v <= mostRatio {
				grid(&b, v, bottom)
			}
		}
	}
	for i, r := range rows {
		line(&b, r, chartHead+lineHeight*i+lineHeight/2)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#444444">faster than this library; what is beyond stands on the edge</text>`+"\n", labelWidth, height-6)
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#444444" text-anchor="end">slower</text>`+"\n", chartWidth-12, height-6)
	b.WriteString("</svg>\n")
	return b.String()
}

// place is where a ratio stands.
func place(ratio float64) float64 {
	ratio = max(lowestRatio, min(mostRatio, ratio))
	share := math.Log(ratio/lowestRatio) / math.Log(mostRatio/lowestRatio)
	return labelWidth + share*(chartWidth-labelWidth-24)
}

func legend(b *strings.Builder, rows []*result) {
	x, y := 12, 42
	for _, name := range columns {
		used := slices.ContainsFunc(rows, func(r *result) bool { return r.of[name] != nil })
		if name == benchmarks.Library || !used {
			continue
		}
		if x > chartWidth-120 {
			x, y = 12, y+18
		}
		fmt.Fprintf(b, `%s</path><text x="%d" y="%d" fill="#111111">%s</text>`+"\n", at(float64(x+5), y-4, name), x+14, y, html.EscapeString(name))
		x += 26 + 7*len(name)
	}
}

func grid(b *strings.Builder, ratio float64, bottom int) {
	colour, width := "#dddddd", 1.0
	if ratio == 1 {
		colour, width = "#111111", 1.5
	}
	fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s" stroke-width="%g"/>`+"\n", place(ratio), chartHead-4, place(ratio), bottom, colour, width)
	fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#444444" font-size="10">%g ×</text>`+"\n", place(ratio), bottom+13, ratio)
}

func line(b *strings.Builder, r *result, y int) {
	fmt.Fprintf(b, `<text x="12" y="%d" fill="#111111">%s</text>`+"\n", y+4, html.EscapeString(short(r.ID+" "+r.Title, 52)))
	own := r.of[benchmarks.Library].wall
	for _, name := range r.order {
		if name == benchmarks.Library {
			continue
		}
		ratio := over(r.of[name].wall, own)
		fmt.Fprintf(b, `%s<title>%s: %.2f ×</title></path>`+"\n", at(place(ratio), y, name), html.EscapeString(name), ratio)
	}
}

// short cuts a text.
func short(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}
