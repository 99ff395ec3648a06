// Package service is what the servers among the examples have in common: their flags, the
// four-letter words beside them, how they begin and end.
package service

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/goreactor/reactor/examples/internal/admin"
	"github.com/goreactor/reactor/netreactor"
)

// Run is the program: it serves until ctx ends. ready, if not nil, is told the addresses.
type Run func(ctx context.Context, args []string, out io.Writer, ready func(data, admin string)) error

// Main is the function main of a program: it runs until it is interrupted.
func Main(name string, run Run) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, nil); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Service has the settings of a server.
type Service struct {
	// Flags are where a server adds its own.
	Flags *flag.FlagSet

	name                        string
	addr, admin                 *string
	clients, selectors, workers *int
	perClient                   int
}

// New returns a service that listens at addr, and at words for four-letter words, unless its flags
// say otherwise. What they don't say is as the environment has it.
func New(name, addr, words string) *Service {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	c := defaults(os.LookupEnv)
	return &Service{
		Flags: f, name: name, perClient: c.MaxPerClient,
		addr:      f.String("addr", addr, "where to listen"),
		admin:     f.String("admin", words, "where to answer four-letter words"),
		clients:   f.Int("clients", c.MaxConns, "how many connections there may be; 0 is no limit"),
		selectors: f.Int("selectors", c.Selectors, "goroutines that wait for clients"),
		workers:   f.Int("workers", c.Workers, "goroutines that read, answer and write; 0 leaves that to the selectors"),
	}
}

// defaults returns the settings of the environment, and what suits an example where that says
// nothing: the selectors do the work, and all clients may come from one address, as those of a
// benchmark do.
func defaults(lookup func(name string) (value string, ok bool)) netreactor.Config {
	c, _ := netreactor.LoadConfig(lookup) // Bind tells of what can't be used
	if _, ok := lookup("REACTOR_NET_WORKERS"); !ok {
		c.Workers = 0
	}
	if _, ok := lookup("REACTOR_NET_MAX_PER_CLIENT"); !ok {
		c.MaxPerClient = 0
	}
	return c
}

// Parse reads the flags. It reports false if the service is not to run, also if only help was asked
// for, which is no error.
func (s *Service) Parse(args []string) (ok bool, err error) {
	err = s.Flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return false, nil
	}
	if err == nil && s.Flags.NArg() > 0 {
		err = fmt.Errorf("%q is no flag", s.Flags.Arg(0))
	}
	return err == nil, err
}

// Addr returns where to listen.
func (s *Service) Addr() string { return *s.addr }

// Options returns what the flags ask for, and own.
func (s *Service) Options(own ...netreactor.BindOption) []netreactor.BindOption {
	return append([]netreactor.BindOption{
		netreactor.Name(s.name), netreactor.MaxConns(*s.clients), netreactor.MaxPerClient(s.perClient),
		netreactor.Selectors(*s.selectors), netreactor.Workers(*s.workers),
		netreactor.Business(0), // whatever the environment says: what the codecs hand over is valid within OnNext only
	}, own...)
}

// Serve answers four-letter words about server, and says on out where that serves and, when it has
// stopped, how many messages it has served, by their name.
func (s *Service) Serve(ctx context.Context, server *netreactor.Server, messages string, out io.Writer, ready func(data, admin string)) error {
	// The words are answered until the last client has gone.
	words, err := admin.Bind(context.WithoutCancel(ctx), *s.admin, s.name, func() *netreactor.Server { return server })
	if err != nil {
		return errors.Join(err, server.Close())
	}
	fmt.Fprintf(out, "serving on %v (%v), four-letter words on %v\n", server.Addr(), server.Engine(), words.Addr())
	if ready != nil {
		ready(server.Addr().String(), words.Addr().String())
	}
	<-server.Stopped()
	st := server.Stats()
	fmt.Fprintf(out, "served %d %s of %d clients\n", st.FramesIn, messages, st.Acceptor.Accepted)
	return words.Close()
}
