package operators

import (
	"context"
	"testing"

	"github.com/goreactor/reactor"
)

func BenchmarkZip(b *testing.B) {
	for name, form := range zipForms {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			sum := 0
			src := Zip2(form(Range(0, b.N)), form(Range(0, b.N)), add)
			_ = ForEach(context.Background(), src, func(v int) { sum += v })
		})
	}
	b.Run("slice", func(b *testing.B) {
		b.ReportAllocs()
		sum := 0
		src := Zip([]reactor.Publisher[int]{Range(0, b.N), Range(0, b.N)}, total)
		_ = ForEach(context.Background(), src, func(v int) { sum += v })
	})
}
