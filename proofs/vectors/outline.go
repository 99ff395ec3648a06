package vectors

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// outline renders program and run over several lines.
func outline(v *Vector) string {
	var sb strings.Builder
	if v.program.Sink != nil {
		fmt.Fprintf(&sb, "  sink %s\n", call1("type", v.program.Sink))
		for _, op := range v.program.Ops {
			writeNode(&sb, op, "    .")
		}
		for _, e := range v.program.Script {
			raw, _ := json.Marshal(e)
			fmt.Fprintf(&sb, "    emit %s\n", raw)
		}
	} else {
		writeProgram(&sb, v.rawProgram, "  ")
	}
	var line struct {
		Run json.RawMessage `json:"run"`
	}
	_ = json.Unmarshal([]byte(v.Line), &line)
	fmt.Fprintf(&sb, "  run %s\n", line.Run)
	return sb.String()
}

func writeProgram(sb *strings.Builder, raw json.RawMessage, indent string) {
	var p struct {
		Src node   `json:"src"`
		Ops []node `json:"ops"`
	}
	_ = json.Unmarshal(raw, &p)
	writeNode(sb, p.Src, indent)
	for _, op := range p.Ops {
		writeNode(sb, op, indent+"  .")
	}
}

func writeNode(sb *strings.Builder, n node, indent string) {
	fmt.Fprintf(sb, "%s%s\n", indent, call1("op", n))
	space := strings.Repeat(" ", len(indent)+4)
	for _, k := range keys(n) {
		for i, p := range programs(n[k]) {
			label := k
			if i > 0 {
				label = strings.Repeat(" ", len(k))
			}
			var inner strings.Builder
			writeProgram(&inner, p, "")
			fmt.Fprintf(sb, "%s%s: %s", space, label,
				strings.ReplaceAll(strings.TrimSuffix(inner.String(), "\n"), "\n", "\n"+space+strings.Repeat(" ", len(k)+2))+"\n")
		}
	}
}

// call1 renders a node without the programs in it.
func call1(nameField string, n node) string {
	var name string
	_ = json.Unmarshal(n[nameField], &name)
	var args []string
	for _, k := range keys(n) {
		if k != nameField && programs(n[k]) == nil {
			args = append(args, k+"="+string(n[k]))
		}
	}
	return name + "(" + strings.Join(args, " ") + ")"
}

func keys(n node) []string {
	var out []string
	for k := range n {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// programs returns the program or list of programs that raw is, or nil.
func programs(raw json.RawMessage) []json.RawMessage {
	var one struct {
		Src json.RawMessage `json:"src"`
	}
	if json.Unmarshal(raw, &one) == nil && one.Src != nil {
		return []json.RawMessage{raw}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 && len(list[0]) > 0 && list[0][0] == '{' && programs(list[0]) != nil {
		return list
	}
	return nil
}
