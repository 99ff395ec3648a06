package store_test

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/examples/kv/resp"
	"github.com/goreactor/reactor/examples/kv/store"
)

func do(s *store.Store, line string) string {
	words := strings.Split(line, " ")
	args := make([][]byte, len(words))
	for i, w := range words {
		args[i] = []byte(w)
	}
	return string(s.Do(resp.Command{Args: args}).Append(nil))
}

func TestCommands(t *testing.T) {
	s := store.New(nil)
	for _, c := range []struct{ line, want string }{
		{"PING", "+PONG\r\n"},
		{"ping x", "$1\r\nx\r\n"},
		{"EchO y", "$1\r\ny\r\n"},
		{"get a", "$-1\r\n"},
		{"set a 1", "+OK\r\n"},
		{"get a", "$1\r\n1\r\n"},
		{"incr a", ":2\r\n"},
		{"incr new", ":1\r\n"},
		{"set a b", "+OK\r\n"},
		{"incr a", "-ERR value is not an integer or out of range\r\n"},
		{"set max " + strconv.FormatInt(math.MaxInt64, 10), "+OK\r\n"},
		{"incr max", "-ERR increment or decrement would overflow\r\n"},
		{"mget a nothing new", "*3\r\n$1\r\nb\r\n$-1\r\n$1\r\n1\r\n"},
		{"exists a a nothing", ":2\r\n"},
		{"dbsize", ":3\r\n"},
		{"del a nothing max", ":2\r\n"},
		{"ttl a", ":-2\r\n"},
		{"ttl new", ":-1\r\n"},
		{"set a b XX", "-ERR syntax error\r\n"},
		{"set a b EX", "-ERR syntax error\r\n"},
		{"set a b EX 10 NX", "-ERR syntax error\r\n"},
		{"set a b EX x", "-ERR value is not an integer or out of range\r\n"},
		{"set a b EX +5", "-ERR value is not an integer or out of range\r\n"},
		{"set a b EX 05", "-ERR value is not an integer or out of range\r\n"},
		{"set a b PX -0", "-ERR value is not an integer or out of range\r\n"},
		{"set a b EX -5", "-ERR invalid expire time in 'set' command\r\n"},
		{"set a b EX 0", "-ERR invalid expire time in 'set' command\r\n"},
		{"set a b EX 9223372036854775807", "-ERR invalid expire time in 'set' command\r\n"},
		{"get", "-ERR wrong number of arguments for 'get' command\r\n"},
		{"get a b", "-ERR wrong number of arguments for 'get' command\r\n"},
		{"flyto moon", "-ERR unknown command 'flyto'\r\n"},
		{"a\r\nb", "-ERR unknown command 'a..b'\r\n"},
		{"config get save", "*2\r\n$4\r\nsave\r\n$0\r\n\r\n"},
		{"config get appendonly", "*2\r\n$10\r\nappendonly\r\n$2\r\nno\r\n"},
		{"config get other", "*0\r\n"},
		{"config set a", "-ERR only CONFIG GET with one name is supported\r\n"},
		{"command docs", "*0\r\n"},
		{"quit", "+OK\r\n"},
		{"quit now", "+OK\r\n"},
	} {
		assert.Equal(t, c.want, do(s, c.line), c.line)
	}
	assert.Contains(t, do(s, "info"), "total_commands_processed:40\r\n")
	assert.True(t, s.Do(resp.Command{Args: [][]byte{[]byte("QUIT")}}).IsLast())
	broken := s.Do(resp.Command{Err: &resp.Malformed{Err: resp.ErrProtocol}})
	assert.True(t, broken.IsLast())
	assert.Equal(t, "-ERR Protocol error\r\n", string(broken.Append(nil)))
}

// An integer is written as Redis writes it.
func TestIntegers(t *testing.T) {
	s := store.New(nil)
	const none, overflow = "-ERR value is not an integer or out of range\r\n", "-ERR increment or decrement would overflow\r\n"
	for _, c := range []struct{ value, want string }{
		{"0", ":1\r\n"},
		{"10", ":11\r\n"},
		{"-1", ":0\r\n"},
		{"-9223372036854775808", ":-9223372036854775807\r\n"},
		{"9223372036854775806", ":9223372036854775807\r\n"},
		{"9223372036854775807", overflow},
		{"9223372036854775808", none},
		{"", none},
		{"-", none},
		{"+1", none},
		{"-+1", none},
		{"01", none},
		{"00", none},
		{"-0", none},
		{"-01", none},
		{"1_0", none},
		{"1x", none},
	} {
		do(s, "set a "+c.value)
		assert.Equal(t, c.want, do(s, "incr a"), "%q", c.value)
	}
}

// A reply for which all of the memory would go is an error.
func TestMgetIsBounded(t *testing.T) {
	s := store.New(nil)
	do(s, "set a "+strings.Repeat("x", 1<<20))
	assert.Equal(t, "-ERR reply of more than 536870912 bytes\r\n", do(s, "mget"+strings.Repeat(" a", 512)))
	assert.Equal(t, 3<<20+len("*3\r\n")+3*len("$1048576\r\n\r\n"), len(do(s, "mget"+strings.Repeat(" a", 3))))
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store.New(nil)
		do(s, "set a 5 EX 10")
		do(s, "set b 5 px 1500")
		assert.Equal(t, ":10\r\n", do(s, "ttl a"))
		time.Sleep(1500 * time.Millisecond)
		assert.Equal(t, "$-1\r\n", do(s, "get b"))
		assert.Equal(t, ":0\r\n", do(s, "del b"))
		assert.Equal(t, ":6\r\n", do(s, "incr a"), "the value goes on")
		assert.Equal(t, ":9\r\n", do(s, "ttl a"), "and so does its time")
		time.Sleep(8500 * time.Millisecond)
		assert.Equal(t, ":1\r\n", do(s, "incr a"), "begins again")
		assert.Equal(t, ":-1\r\n", do(s, "ttl a"))
		do(s, "set c 1 EX 1")
		assert.Equal(t, 0, s.Sweep())
		time.Sleep(time.Second)
		assert.Equal(t, 1, s.Sweep())
		assert.Equal(t, 1, s.Len())
	})
}

// A value that has expired is counted once, whoever finds it.
func TestExpiredAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store.New(nil)
		for _, key := range []string{"replaced", "deleted", "incremented", "swept"} {
			do(s, "set "+key+" 1 EX 1")
		}
		do(s, "set lives 1 EX 9")
		time.Sleep(time.Second)
		do(s, "set replaced 2")
		do(s, "del deleted")
		do(s, "incr incremented")
		assert.Contains(t, do(s, "info"), "expired_keys:3\r\n")
		assert.Equal(t, 1, s.Sweep())
		do(s, "set lives 2")
		do(s, "del deleted replaced lives")
		assert.Contains(t, do(s, "info"), "expired_keys:4\r\n")
	})
}

func TestIncrementsOfManyAddUp(t *testing.T) {
	s := store.New(nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				do(s, "incr n")
			}
		})
	}
	all.Wait()
	assert.Equal(t, "$4\r\n8000\r\n", do(s, "get n"))
}
