package main

import "strings"

// checks are the clients to run, and what they have to say.
func checks(kv, web *server) []check {
	cli := func(want string, args ...string) check {
		return check{client: "redis-cli", args: append([]string{"-p", kv.port}, args...), want: "^" + want + "\n$"}
	}
	bench := func(test, pipeline, clients string) check {
		return check{
			client: "redis-benchmark",
			args:   []string{"-p", kv.port, "-q", "-n", "20000", "-t", test, "-P", pipeline, "-c", clients},
			want:   "requests per second", not: "(?i)error|warning",
			least: `(?m)([0-9.]+) requests per second`,
		}
	}
	word := func(s *server, word, want string) check {
		return check{client: "nc", args: []string{"127.0.0.1", s.adPort}, in: word + "\n", want: want}
	}
	url := "http://" + web.addr
	all := []check{
		cli("PONG", "ping"),
		cli("OK", "set", "greeting", "hello there", "EX", "100"),
		cli("hello there", "get", "greeting"),
		cli("1", "incr", "counter"),
		cli("hello there\n1\n", "mget", "greeting", "counter", "nothing"),
		cli("2", "del", "greeting", "counter"),
		cli("(?s)# Server.*# Keyspace.*", "info"),
		cli("appendonly\nno", "config", "get", "appendonly"),
		cli("ERR unknown command 'fly'\n", "fly"),
		{client: "redis-cli", args: []string{"-p", kv.port, "--pipe"}, in: strings.Repeat("*1\r\n$4\r\nPING\r\n", 1000), want: "errors: 0, replies: 1000"},
		bench("ping,set,get,incr", "1", "50"),
		bench("set,get", "16", "50"),
		bench("get", "1", "500"),

		{client: "curl", args: []string{"-sS", url + "/hello"}, want: "^hello\n$"},
		{client: "curl", args: []string{"-sS", "--data-binary", "@-", url + "/echo"}, in: strings.Repeat("long ", 50000), want: "^(long ){50}.*$"},
		{client: "curl", args: []string{"-sSI", url + "/hello"}, want: "^HTTP/1.1 200 OK\r\n"},
		{client: "wrk", args: []string{"-t", "1", "-c", "32", "-d", "2s", url + "/hello"}, want: "requests in", not: "Socket errors|Non-2xx", least: `Requests/sec:\s+([0-9.]+)`},
		{client: "ab", args: []string{"-q", "-k", "-n", "10000", "-c", "32", url + "/hello"}, want: `Failed requests:\s+0\n`, not: "Non-2xx", least: `Requests per second:\s+([0-9.]+)`},
		{client: "ab", args: []string{"-q", "-n", "1000", "-c", "32", url + "/hello"}, want: `Failed requests:\s+0\n`, not: "Non-2xx", least: `Requests per second:\s+([0-9.]+)`},
		{client: "h2load", args: []string{"--h1", "-n", "10000", "-c", "32", url + "/hello"}, want: `10000 succeeded, 0 failed, 0 errored, 0 timeout`, least: `, ([0-9.]+) req/s`},
		{client: "hey", args: []string{"-n", "10000", "-c", "50", url + "/hello"}, want: `\[200\]\s10000 responses`, not: "Error distribution", least: `Requests/sec:\s+([0-9.]+)`},
		{client: "slowhttptest", args: []string{"-B", "-c", "50", "-r", "50", "-i", "1", "-l", "5", "-t", "POST", "-u", url + "/echo"}, want: `service available:\S*\s+\S*YES`},
		{client: "slowhttptest", args: []string{"-H", "-c", "50", "-r", "50", "-i", "1", "-l", "5", "-u", url + "/hello"}, want: `service available:\S*\s+\S*YES`},
	}
	for _, s := range []*server{kv, web} {
		all = append(all,
			word(s, "ruok", "^imok$"),
			word(s, "srvr", "Connections: "),
			word(s, "stat", "(?s)^Clients:.*Outstanding: 0"),
			word(s, "cons", "^"),
			word(s, "mntr", s.name+"_connections_accepted\t[1-9]"),
			word(s, "what", "is not one of"))
	}
	return all
}
