package store

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/goreactor/reactor/examples/kv/resp"
)

// command is one that clients may send.
type command struct {
	min, max int // number of arguments, the name not counted; max is -1 for any
	do       func(s *Store, args [][]byte) resp.Reply
}

const unlimited = -1

// commands are those that there are, by their names in upper case.
var commands = map[string]command{
	"PING":    {0, 1, (*Store).ping},
	"ECHO":    {1, 1, func(_ *Store, args [][]byte) resp.Reply { return resp.Bulk(string(args[0])) }},
	"SET":     {2, unlimited, (*Store).setCommand},
	"GET":     {1, 1, func(s *Store, args [][]byte) resp.Reply { return s.get(args[0]) }},
	"MGET":    {1, unlimited, (*Store).mget},
	"DEL":     {1, unlimited, (*Store).del},
	"EXISTS":  {1, unlimited, (*Store).exists},
	"INCR":    {1, 1, (*Store).incr},
	"TTL":     {1, 1, (*Store).ttl},
	"DBSIZE":  {0, 0, func(s *Store, _ [][]byte) resp.Reply { return resp.Int(int64(s.Len())) }},
	"INFO":    {0, unlimited, func(s *Store, _ [][]byte) resp.Reply { return resp.Bulk(string(s.Info())) }},
	"CONFIG":  {1, unlimited, (*Store).config},
	"COMMAND": {0, unlimited, func(*Store, [][]byte) resp.Reply { return resp.Array() }},
	"QUIT":    {0, unlimited, func(*Store, [][]byte) resp.Reply { return resp.Simple("OK").Last() }},
}

// Do runs a command and returns the reply. The store keeps no bytes of it.
func (s *Store) Do(c resp.Command) resp.Reply {
	if c.Err != nil {
		return resp.Error("ERR " + c.Err.Error()).Last()
	}
	s.commands.Add(1)
	name, args := c.Args[0], c.Args[1:]
	cmd, ok := commands[string(name)]
	if !ok {
		if cmd, ok = commands[strings.ToUpper(string(name))]; !ok {
			return resp.Error(fmt.Sprintf("ERR unknown command '%s'", name[:min(len(name), 64)]))
		}
	}
	if len(args) < cmd.min || cmd.max >= 0 && len(args) > cmd.max {
		return resp.Error(fmt.Sprintf("ERR wrong number of arguments for '%s' command", strings.ToLower(string(name))))
	}
	return cmd.do(s, args)
}

func (s *Store) ping(args [][]byte) resp.Reply {
	if len(args) == 1 {
		return resp.Bulk(string(args[0]))
	}
	return resp.Simple("PONG")
}

func (s *Store) setCommand(args [][]byte) resp.Reply {
	var ttl time.Duration
	if len(args) > 2 {
		unit := time.Second
		switch {
		case bytes.EqualFold(args[2], []byte("PX")):
			unit = time.Millisecond
		case !bytes.EqualFold(args[2], []byte("EX")):
			return resp.Error("ERR syntax error")
		}
		if len(args) != 4 {
			return resp.Error("ERR syntax error")
		}
		n, err := integer(string(args[3]))
		if err != nil {
			return resp.Error("ERR " + err.Error())
		}
		if n <= 0 || n > int64(1<<62/unit) {
			return resp.Error("ERR invalid expire time in 'set' command")
		}
		ttl = time.Duration(n) * unit
	}
	s.set(args[0], args[1], ttl)
	return resp.Simple("OK")
}

func (s *Store) mget(args [][]byte) resp.Reply {
	values := make([]resp.Reply, len(args))
	for i, key := range args {
		values[i] = s.get(key)
	}
	return resp.Array(values...)
}

func (s *Store) del(args [][]byte) resp.Reply {
	n := int64(0)
	for _, key := range args {
		if s.remove(key) {
			n++
		}
	}
	return resp.Int(n)
}

func (s *Store) exists(args [][]byte) resp.Reply {
	n := int64(0)
	for _, key := range args {
		if s.left(key) != -2 {
			n++
		}
	}
	return resp.Int(n)
}

func (s *Store) incr(args [][]byte) resp.Reply {
	sum, err := s.add(args[0], 1)
	if err != nil {
		return resp.Error("ERR " + err.Error())
	}
	return resp.Int(sum)
}

func (s *Store) ttl(args [][]byte) resp.Reply {
	left := s.left(args[0])
	if left < 0 {
		return resp.Int(int64(left))
	}
	return resp.Int(int64((left + time.Second/2) / time.Second))
}

// config answers what clients ask before they measure: nothing is written to disk.
func (s *Store) config(args [][]byte) resp.Reply {
	if !bytes.EqualFold(args[0], []byte("GET")) || len(args) != 2 {
		return resp.Error("ERR only CONFIG GET with one name is supported")
	}
	switch name := strings.ToLower(string(args[1])); name {
	case "save":
		return resp.Array(resp.Bulk(name), resp.Bulk(""))
	case "appendonly":
		return resp.Array(resp.Bulk(name), resp.Bulk("no"))
	}
	return resp.Array()
}

// Info returns figures as INFO does: sections of lines "name:value".
func (s *Store) Info() []byte {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	var out bytes.Buffer
	section := func(name string, lines ...any) {
		fmt.Fprintf(&out, "# %s\r\n", name)
		for i := 0; i < len(lines); i += 2 {
			fmt.Fprintf(&out, "%v:%v\r\n", lines[i], lines[i+1])
		}
		out.WriteString("\r\n")
	}
	section("Server", "redis_mode", "standalone", "go_version", runtime.Version(),
		"uptime_in_seconds", int(time.Since(s.started).Seconds()))
	section("Memory", "used_memory", mem.HeapAlloc, "goroutines", runtime.NumGoroutine())
	section("Stats", "total_commands_processed", s.commands.Load(), "keyspace_hits", s.hits.Load(),
		"keyspace_misses", s.misses.Load(), "expired_keys", s.expired.Load())
	section("Keyspace", "db0", fmt.Sprintf("keys=%d", s.Len()))
	if s.info != nil {
		out.Write(s.info())
	}
	return out.Bytes()
}
