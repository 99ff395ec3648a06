import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.util.context.Context;

/** One execution of a program under virtual time. */
final class Run {
  /** Nothing may happen any more after the end of a run, up to here. */
  static final int SETTLED = 2400;

  final VirtualTimeScheduler scheduler;
  Supplier<Disposable> connect; // of the last operator, if it can be connected

  /** What is wrong with the run as a vector, null if nothing is. */
  String fault;

  private final ArrayNode source = Values.JSON.arrayNode();
  private final ArrayNode peek = Values.JSON.arrayNode();
  private final ArrayNode emits = Values.JSON.arrayNode();
  private final List<Final> finals = new ArrayList<>();
  private Sink sink;
  private Publisher<Object> program;
  private Disposable connection;
  private boolean late; // beyond the end of the run

  private Run() {
    VirtualTimeScheduler.reset();
    scheduler = VirtualTimeScheduler.getOrSet(VirtualTimeScheduler.create());
  }

  /** Runs the program and returns the expectations of its vector. */
  static Run of(JsonNode vector) {
    Values.restart();
    Run r = new Run();
    Hooks.onErrorDropped(e -> {
      if (!e.getClass().getSimpleName().equals("StaticThrowable")) { // what Reactor marks an operator as terminated by
        r.peek(r.entry().put("dropped", "error").put("e", Values.kind(e)));
      }
    });
    Hooks.onNextDropped(v -> {
      ObjectNode e = r.entry().put("dropped", "next");
      e.set("v", Values.json(v));
      r.peek(e);
    });
    try {
      r.execute(vector.get("program"), vector.get("run"));
    } catch (Throwable e) {
      r.fault("thrown: " + e);
    } finally {
      VirtualTimeScheduler.reset();
      Hooks.resetOnErrorDropped();
      Hooks.resetOnNextDropped();
    }
    return r;
  }

  /** What was observed, in the form of a vector's expectations. */
  ObjectNode outcome(boolean several) {
    ObjectNode out = Values.JSON.objectNode();
    if (several) {
      ArrayNode all = out.putArray("subscribers");
      finals.forEach(f -> all.add(f.signals));
    } else {
      out.set("signals", finals.get(0).signals);
    }
    if (sink != null) {
      out.set("emits", emits);
    } else {
      out.set("source", source);
    }
    out.set("peek", peek);
    return out;
  }

  private void execute(JsonNode program, JsonNode run) {
    Program builder = new Program(this);
    Publisher<Object> p;
    if (program.has("sink")) {
      sink = Sink.of(program.get("sink"), this, builder);
      Publisher<Object> x = sink.publisher();
      p = builder.apply(x, program.get("ops"), new Program.Scope(null, x));
    } else {
      Publisher<Object> src = builder.source(program.get("src"), Program.Scope.NONE);
      p = builder.apply(run.path("bare").asBoolean() ? src : record(src), program.get("ops"), Program.Scope.NONE);
    }
    this.program = p;
    if (run.has("subscribers")) {
      run.get("subscribers").forEach(s -> finals.add(new Final(s, s.path("at").asInt(-1))));
    } else {
      finals.add(new Final(run, 0));
    }
    int until = run.get("until").asInt();
    for (int t = 0; t <= until; t++) {
      advance(t);
      for (Final f : finals) {
        if (f.at == t) {
          action(f::join);
        }
        while (f.due()) {
          action(f::requestNext);
        }
        if (f.cancelAt == t) {
          action(f::cancel);
        }
      }
      if (run.path("connectAt").asInt(-1) == t || run.path("reconnectAt").asInt(-1) == t) {
        action(() -> connection = connect.get());
      }
      if (run.path("disconnectAt").asInt(-1) == t) {
        action(() -> connection.dispose());
      }
      if (sink != null) {
        for (JsonNode e : program.get("script")) {
          if (e.get("at").asInt() == t) {
            action(() -> emits.add(sink.emit(entry(), e)));
          }
        }
      }
    }
    late = true;
    advance(SETTLED);
  }

  private void advance(int t) {
    scheduler.advanceTimeTo(Instant.ofEpochMilli(t));
  }

  private void action(Runnable r) {
    scheduler.schedule(r);
  }

  /** What is to be done when it has been run as often as the argument after says. */
  Runnable poke(JsonNode n) {
    int[] times = {0};
    return () -> {
      Values.step();
      if (++times[0] == n.path("after").asInt(1)) {
        act(n);
      }
    };
  }

  private void act(JsonNode n) {
    if (n.get("do").asText().equals("emit")) {
      emits.add(sink.emit(entry(), n));
      return;
    }
    int number = n.path("who").asInt(0);
    if (number >= finals.size()) {
      return; // nobody: it happens at the assembly, or the format names one too many
    }
    Final who = finals.get(number);
    switch (n.get("do").asText()) {
      case "cancel" -> who.leave();
      case "request" -> who.request(n.get("n").asLong());
      case "subscribe" -> who.join();
      default -> throw new IllegalArgumentException("do " + n.get("do"));
    }
  }

  long now() {
    return scheduler.now(TimeUnit.MILLISECONDS);
  }

  ObjectNode entry() {
    return Values.JSON.objectNode().put("t", now());
  }

  void peek(ObjectNode e) {
    note(peek, e);
  }

  void fault(String why) {
    if (fault == null) {
      fault = why;
    }
  }

  private void note(ArrayNode list, ObjectNode e) {
    Values.step();
    if (late) {
      fault("something happens after the end");
    }
    list.add(e);
  }

  private void end(JsonNode sink) {
    if (sink.has("tag")) {
      ObjectNode e = entry();
      e.set("op", sink.get("tag"));
      peek(e.put("ev", "end"));
    }
  }

  static ObjectNode demand(ObjectNode e, String name, long n) {
    return n == Long.MAX_VALUE ? e.put(name, "unbounded") : e.put(name, n);
  }

  /** Puts a recorder behind the main source. */
  private Publisher<Object> record(Publisher<Object> src) {
    if (src instanceof Mono<Object> m) {
      return new Mono<>() {
        @Override
        public void subscribe(CoreSubscriber<? super Object> actual) {
          note(source, entry().put("subscribe", true));
          m.subscribe(new Recorder(actual));
        }
      };
    }
    Flux<Object> f = (Flux<Object>) src;
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Object> actual) {
        note(source, entry().put("subscribe", true));
        f.subscribe(new Recorder(actual));
      }
    };
  }

  private final class Recorder implements CoreSubscriber<Object>, Subscription {
    private final CoreSubscriber<? super Object> down;
    private Subscription up;
    private boolean over;
    private boolean unbounded;

    Recorder(CoreSubscriber<? super Object> down) {
      this.down = down;
    }

    @Override
    public Context currentContext() {
      return down.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
      up = s;
      down.onSubscribe(this);
    }

    @Override
    public void onNext(Object v) {
      Values.step();
      down.onNext(v);
    }

    @Override
    public void onError(Throwable t) {
      over = true;
      down.onError(t);
    }

    @Override
    public void onComplete() {
      over = true;
      down.onComplete();
    }

    @Override
    public void request(long n) {
      if (!over && !unbounded) {
        unbounded = n == Long.MAX_VALUE;
        note(source, demand(entry(), "request", n));
      }
      up.request(n);
    }

    @Override
    public void cancel() {
      if (!over) {
        over = true;
        note(source, entry().put("cancel", true));
      }
      up.cancel();
    }
  }

  /** The subscriber at the end. */
  private final class Final implements CoreSubscriber<Object> {
    final ArrayNode signals = Values.JSON.arrayNode();
    final int at;
    final int cancelAt;
    private final long cancelAfter; // how many elements; -1: does not cancel because of elements
    private final JsonNode emit; // what an element makes it emit into the sink, null: nothing
    private final JsonNode act; // what else an element makes it do, null: nothing
    private final long each; // what each element makes it request
    private final List<long[]> demand = new ArrayList<>();
    private Subscription up;
    private boolean joined;
    private boolean over;
    private boolean terminated;
    private boolean deaf; // to what comes still after the cancellation
    private long asked;
    private long got;

    Final(JsonNode spec, int at) {
      this.at = at;
      JsonNode demand = spec.get("demand");
      cancelAt = spec.hasNonNull("cancelAt") ? spec.get("cancelAt").asInt() : -1;
      cancelAfter = spec.path("cancelAfter").asLong(-1);
      each = spec.path("each").isTextual() ? Long.MAX_VALUE : spec.path("each").asLong(0);
      emit = spec.get("emit");
      act = spec.get("act");
      if (demand.isTextual()) {
        this.demand.add(new long[] {0, Long.MAX_VALUE});
      } else {
        demand.forEach(d -> this.demand.add(new long[] {d.get(0).asLong(), d.get(1).isTextual() ? Long.MAX_VALUE : d.get(1).asLong()}));
      }
    }

    boolean due() {
      return up != null && !over && !demand.isEmpty() && demand.get(0)[0] <= now();
    }

    void requestNext() {
      if (!due()) {
        return;
      }
      long n = demand.remove(0)[1];
      asked = Operators.addCap(asked, n);
      up.request(n);
    }

    void join() {
      if (!joined) {
        joined = true;
        program.subscribe(this);
      }
    }

    /** Cancels in the midst of something: what is on its way may still come. */
    void leave() {
      deaf |= !over;
      cancel();
    }

    void request(long n) {
      if (up != null && !over) {
        asked = Operators.addCap(asked, n);
        up.request(n);
      }
    }

    void cancel() {
      if (over) {
        return;
      }
      over = true;
      if (up != null) {
        up.cancel();
      }
    }

    @Override
    public void onSubscribe(Subscription s) {
      if (up != null) {
        fault("onSubscribe twice");
        s.cancel();
        return;
      }
      up = s;
      if (over) {
        s.cancel();
        return;
      }
      while (due()) {
        requestNext();
      }
      if (cancelAfter == 0) {
        cancel();
      }
    }

    @Override
    public void onNext(Object v) {
      if (deaf) {
        Values.step();
        return;
      }
      ObjectNode e = entry();
      e.set("next", Values.json(v));
      record(e);
      if (++got > asked) {
        fault("more than was requested");
      }
      if (act != null && act.get("after").asLong() == got) {
        act(act);
      }
      if (emit != null && emit.get("after").asLong() == got) {
        emits.add(sink.emit(entry(), emit));
      }
      if (got == cancelAfter) {
        cancel();
      } else if (each > 0) {
        request(each);
      }
    }

    @Override
    public void onError(Throwable t) {
      if (deaf) {
        return;
      }
      record(entry().put("error", Values.kind(t)));
      over = true;
      terminated = true;
    }

    @Override
    public void onComplete() {
      if (deaf) {
        return;
      }
      record(entry().put("complete", true));
      over = true;
      terminated = true;
    }

    private void record(ObjectNode e) {
      if (over) {
        fault(terminated ? "a signal after the end" : "a signal after the cancellation");
      }
      if (up == null) {
        fault("a signal before onSubscribe");
      }
      note(signals, e);
    }
  }

  /** A sink of the format. */
  private abstract static class Sink {
    abstract Publisher<Object> publisher();

    abstract Sinks.EmitResult next(Object v);

    abstract Sinks.EmitResult error(Throwable t);

    abstract Sinks.EmitResult complete();

    abstract int subscribers();

    ObjectNode emit(ObjectNode out, JsonNode e) {
      Sinks.EmitResult r;
      if (e.has("next")) {
        out.set("next", e.get("next"));
        r = next(Values.value(e.get("next")));
      } else if (e.has("error")) {
        out.set("error", e.get("error"));
        r = error(new Values.Boom(e.get("error").asText()));
      } else {
        out.put("complete", true);
        r = complete();
      }
      return out.put("result", r.toString()).put("subscribers", subscribers());
    }

    static Sink of(JsonNode n, Run run, Program builder) {
      switch (n.get("type").asText()) {
        case "unicastBuffer":
          if (n.has("size")) {
            return many(Sinks.many().unicast().onBackpressureBuffer(new ArrayBlockingQueue<>(n.get("size").asInt()), () -> run.end(n)));
          }
          if (n.has("tag")) {
            return many(Sinks.many().unicast().onBackpressureBuffer(new ArrayDeque<>(), () -> run.end(n)));
          }
          return many(Sinks.many().unicast().onBackpressureBuffer());
        case "unicastError":
          return many(Sinks.many().unicast().onBackpressureError());
        case "multicastBuffer":
          return many(Sinks.many().multicast().onBackpressureBuffer(n.path("size").asInt(256), n.path("autoCancel").asBoolean(true)));
        case "multicastUpstream": {
          Sinks.ManyWithUpstream<Object> s = Sinks.unsafe().manyWithUpstream()
              .multicastOnBackpressureBuffer(n.path("size").asInt(256), n.path("autoCancel").asBoolean(true));
          Publisher<Object> other = builder.build(n.get("other"), Program.Scope.NONE);
          run.connect = () -> s.subscribeTo(other);
          return many(s);
        }
        case "multicastBestEffort":
          return many(Sinks.many().multicast().directBestEffort());
        case "multicastAllOrNothing":
          return many(Sinks.many().multicast().directAllOrNothing());
        case "replayAll":
          return many(Sinks.many().replay().all());
        case "replayLatest":
          return many(Sinks.many().replay().latest());
        case "replayLatestOrDefault":
          return many(Sinks.many().replay().latestOrDefault(Values.value(n.get("default"))));
        case "replayLimit":
          if (!n.has("ms")) {
            return many(Sinks.many().replay().limit(n.get("size").asInt()));
          }
          return many(Sinks.many().replay().limit(n.path("size").asInt(Integer.MAX_VALUE),
              java.time.Duration.ofMillis(n.get("ms").asInt()), run.scheduler));
        case "one":
          return one(Sinks.one());
        case "empty":
          return empty(Sinks.empty());
        default:
          throw new IllegalArgumentException("sink " + n);
      }
    }

    private static Sink many(Sinks.Many<Object> s) {
      return new Sink() {
        @Override
        Publisher<Object> publisher() {
          return s.asFlux();
        }

        @Override
        Sinks.EmitResult next(Object v) {
          return s.tryEmitNext(v);
        }

        @Override
        Sinks.EmitResult error(Throwable t) {
          return s.tryEmitError(t);
        }

        @Override
        Sinks.EmitResult complete() {
          return s.tryEmitComplete();
        }

        @Override
        int subscribers() {
          return s.currentSubscriberCount();
        }
      };
    }

    private static Sink empty(Sinks.Empty<Object> s) {
      return new Sink() {
        @Override
        Publisher<Object> publisher() {
          return s.asMono();
        }

        @Override
        Sinks.EmitResult next(Object v) {
          return ((Sinks.One<Object>) s).tryEmitValue(v);
        }

        @Override
        Sinks.EmitResult error(Throwable t) {
          return s.tryEmitError(t);
        }

        @Override
        Sinks.EmitResult complete() {
          return s.tryEmitEmpty();
        }

        @Override
        int subscribers() {
          return s.currentSubscriberCount();
        }
      };
    }

    private static Sink one(Sinks.One<Object> s) {
      return empty(s);
    }
  }
}
