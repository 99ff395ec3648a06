package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/goreactor/reactor"
)

// Value is an element of a program: an int64, a []Value, or a
// reactor.Signal[Value].
type Value = any

// Num is the number that stands for a value in every function of the format.
func Num(v Value) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case int:
		return int64(v)
	case []Value:
		var sum int64
		for _, x := range v {
			sum += Num(x)
		}
		return sum
	case reactor.Signal[Value]:
		switch v.Kind() {
		case reactor.KindNext:
			x, _ := v.Value()
			return Num(x)
		case reactor.KindComplete:
			return -1
		case reactor.KindError:
			return -2
		}
	}
	panic(fmt.Sprintf("vectors: %T is no value of the format", v))
}

// Bool is the value of a boolean.
func Bool(b bool) Value {
	if b {
		return int64(1)
	}
	return int64(0)
}

// List is the value that consists of vs.
func List(vs ...Value) Value { return vs }

// Text renders a value the way decoded expectations are rendered.
func Text(v Value) string {
	var sb strings.Builder
	writeText(&sb, v)
	return sb.String()
}

func writeText(sb *strings.Builder, v Value) {
	switch v := v.(type) {
	case int64:
		sb.WriteString(strconv.FormatInt(v, 10))
	case int:
		sb.WriteString(strconv.Itoa(v))
	case []Value:
		sb.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				sb.WriteByte(' ')
			}
			writeText(sb, x)
		}
		sb.WriteByte(']')
	case reactor.Signal[Value]:
		switch v.Kind() {
		case reactor.KindNext:
			x, _ := v.Value()
			sb.WriteString("next(")
			writeText(sb, x)
			sb.WriteByte(')')
		case reactor.KindComplete:
			sb.WriteString("complete()")
		default:
			sb.WriteString("error(" + Kind(v.Err()) + ")")
		}
	default:
		fmt.Fprintf(sb, "%T!(%v)", v, v)
	}
}

// decode turns the JSON form of a value into one.
func decode(raw json.RawMessage) Value {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var x any
	if err := dec.Decode(&x); err != nil {
		panic("vectors: value " + string(raw) + ": " + err.Error())
	}
	return fromJSON(x)
}

func fromJSON(x any) Value {
	switch x := x.(type) {
	case json.Number:
		n, err := x.Int64()
		if err != nil {
			panic("vectors: value " + x.String() + " is no integer")
		}
		return n
	case []any:
		out := make([]Value, len(x))
		for i := range x {
			out[i] = fromJSON(x[i])
		}
		return out
	case map[string]any:
		switch x["sig"] {
		case "next":
			return reactor.NextSignal(fromJSON(x["v"]))
		case "complete":
			return reactor.CompleteSignal[Value]()
		case "error":
			return reactor.ErrorSignal[Value](kindError(x["e"].(string)))
		}
	}
	panic(fmt.Sprintf("vectors: %v is no value of the format", x))
}
