import static java.time.Duration.ofMillis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.observability.DefaultSignalListener;
import reactor.core.observability.SignalListener;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.FluxSink.OverflowStrategy;
import reactor.core.publisher.GroupedFlux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.ParallelFlux;
import reactor.core.publisher.Signal;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.SynchronousSink;
import reactor.util.context.Context;
import reactor.util.retry.Retry;
import reactor.util.retry.RetryBackoffSpec;
import reactor.util.retry.RetrySpec;

/** Assembles programs. One object serves one run. */
final class Program {
  /** What a program may refer to: arg of the innermost enclosing inner program, and x. */
  record Scope(Object arg, Publisher<Object> x) {
    static final Scope NONE = new Scope(null, null);
  }

  private final Run run;

  Program(Run run) {
    this.run = run;
  }

  /** Node is a source or an operator with its arguments. */
  private final class Node {
    final JsonNode at;
    final Scope in;

    Node(JsonNode at, Scope in) {
      this.at = at;
      this.in = in;
    }

    String op() {
      return at.get("op").asText();
    }

    boolean has(String name) {
      return at.hasNonNull(name);
    }

    JsonNode get(String name) {
      return at.get(name);
    }

    int integer(String name) {
      if (!has(name)) {
        throw new IllegalArgumentException(op() + " without " + name);
      }
      return at.get(name).asInt();
    }

    int integer(String name, int otherwise) {
      return has(name) ? at.get(name).asInt() : otherwise;
    }

    boolean bool(String name, boolean otherwise) {
      return has(name) ? at.get(name).asBoolean() : otherwise;
    }

    String text(String name) {
      return at.get(name).asText();
    }

    Duration ms(String name) {
      return ofMillis(integer(name));
    }

    Object value(String name) {
      return Values.value(at.get(name));
    }

    List<Object> values(String name) {
      List<Object> list = new ArrayList<>();
      at.get(name).forEach(v -> list.add(Values.value(v)));
      return list;
    }

    Function<Object, Object> fn(String name) {
      return Values.fn(at.get(name));
    }

    Predicate<Object> pred(String name) {
      return Values.pred(at.get(name));
    }

    BiFunction<Object, Object, Object> combine() {
      return Values.combine(at.get("fn"));
    }

    Publisher<Object> pub(String name) {
      return build(at.get(name), in);
    }

    Mono<Object> mono(String name) {
      return asMono(pub(name));
    }

    List<Publisher<Object>> pubs() {
      List<Publisher<Object>> list = new ArrayList<>();
      at.get("of").forEach(p -> list.add(build(p, in)));
      return list;
    }

    List<Mono<Object>> monos() {
      List<Mono<Object>> list = new ArrayList<>();
      at.get("of").forEach(p -> list.add(asMono(build(p, in))));
      return list;
    }

    Function<Object, Publisher<Object>> inner(String name) {
      JsonNode p = at.get(name);
      return v -> {
        Values.step();
        return build(p, new Scope(v, in.x));
      };
    }

    Function<Object, Mono<Object>> innerMono(String name) {
      Function<Object, Publisher<Object>> fn = inner(name);
      return v -> asMono(fn.apply(v));
    }

    Predicate<Throwable> match() {
      String begin = has("match") ? text("match") : "";
      return e -> Values.kind(e).startsWith(begin);
    }

    void record(String event) {
      run.peek(entry(event));
    }

    void record(String event, Object v) {
      ObjectNode e = entry(event);
      e.set("v", Values.json(v));
      run.peek(e);
    }

    void recordError(String event, Throwable t) {
      run.peek(entry(event).put("e", Values.kind(t)));
    }

    ObjectNode entry(String event) {
      ObjectNode e = run.entry();
      e.set("op", at.get("tag"));
      return e.put("ev", event);
    }

    void log(ObjectNode e) {
      run.peek(e);
    }

    void fail() {
      if (bool("fail", false)) {
        throw new Values.Boom("tap");
      }
    }
  }

  static Mono<Object> asMono(Publisher<Object> p) {
    return p instanceof Mono<Object> m ? m : ((Flux<Object>) p).next();
  }

  static Flux<Object> asFlux(Publisher<Object> p) {
    return p instanceof Flux<Object> f ? f : ((Mono<Object>) p).flux();
  }

  /** Assembles a program. */
  Publisher<Object> build(JsonNode program, Scope in) {
    return apply(source(program.get("src"), in), program.get("ops"), in);
  }

  Publisher<Object> source(JsonNode src, Scope in) {
    return source(new Node(src, in));
  }

  Publisher<Object> apply(Publisher<Object> p, JsonNode ops, Scope in) {
    if (ops != null) {
      for (JsonNode op : ops) {
        Node n = new Node(op, in);
        p = p instanceof Mono<Object> m ? onMono(m, n) : onFlux((Flux<Object>) p, n);
      }
    }
    return p;
  }

  @SuppressWarnings("unchecked")
  private static Mono<Object> cast(Mono<?> m) {
    return (Mono<Object>) m;
  }

  @SuppressWarnings("unchecked")
  private static Flux<Object> cast(Flux<?> f) {
    return (Flux<Object>) f;
  }

  private static <T> T[] array(List<? extends T> list, T[] type) {
    return list.toArray(type);
  }

  @SuppressWarnings("unchecked")
  private static Publisher<Object>[] array(List<Publisher<Object>> list) {
    return list.toArray(new Publisher[0]);
  }

  @SuppressWarnings("unchecked")
  private Publisher<Object> source(Node n) {
    switch (n.op()) {
      case "just":
        return Flux.just(n.values("items").toArray());
      case "range":
        return cast(Flux.range(n.integer("start"), n.integer("count")).map(i -> (long) i));
      case "empty":
        return Flux.empty();
      case "never":
        return Flux.never();
      case "error":
        return Flux.error(new Values.Boom(n.text("msg")));
      case "fromIterable":
        return Flux.fromIterable(n.values("items"));
      case "interval":
        return cast(Flux.interval(n.ms("initial"), n.ms("period"), run.scheduler));
      case "timed":
        return timed(n);
      case "generate":
        return generate(n);
      case "defer": {
        int[] turn = {0};
        JsonNode of = n.get("of");
        return Flux.defer(() -> build(of.get(Math.min(turn[0]++, of.size() - 1)), n.in));
      }
      case "concat":
        return Flux.concat(array(n.pubs()));
      case "concatDelayError":
        return Flux.concatDelayError(array(n.pubs()));
      case "merge":
        return Flux.merge(n.integer("prefetch", 32), array(n.pubs()));
      case "mergeDelayError":
        return Flux.mergeDelayError(n.integer("prefetch", 32), array(n.pubs()));
      case "mergeSequential":
        return n.bool("delayError", false)
            ? Flux.mergeSequentialDelayError(n.integer("prefetch", 32), array(n.pubs()))
            : Flux.mergeSequential(n.integer("prefetch", 32), array(n.pubs()));
      case "mergePriority":
        return Flux.mergePriority(n.integer("prefetch", 256), Values.BY_NUM, array(n.pubs()));
      case "mergeComparing":
        return n.bool("delayError", false)
            ? Flux.mergeComparingDelayError(n.integer("prefetch", 256), Values.BY_NUM, array(n.pubs()))
            : Flux.mergeComparing(n.integer("prefetch", 256), Values.BY_NUM, array(n.pubs()));
      case "zip":
        return Flux.zip(Values.combineAll(n.get("fn")), n.integer("prefetch", 32), array(n.pubs()));
      case "combineLatest":
        return Flux.combineLatest(Values.combineAll(n.get("fn")), n.integer("prefetch", 32), array(n.pubs()));
      case "firstWithSignal":
        return Flux.firstWithSignal(array(n.pubs()));
      case "firstWithValue":
        return Flux.firstWithValue(n.pubs());
      case "switchOnNext":
        return Flux.switchOnNext(asFlux(n.pub("outer")).map(n.inner("inner")));
      case "using":
        return Flux.using(() -> acquire(n), n.inner("of"), r -> release(n, r), n.bool("eager", true));
      case "usingWhen":
        return Flux.usingWhen(n.pub("resource"), n.inner("of"), cleanup(n, "asyncComplete"),
            (r, e) -> cleanup(n, "asyncError").apply(r), cleanup(n, "asyncCancel"));
      case "createOnRequest":
        return n.bool("push", false) ? Flux.push(onRequest(n), overflow(n)) : Flux.create(onRequest(n), overflow(n));
      case "errorOnRequest":
        return Flux.error(new Values.Boom(n.text("msg")), true);
      case "fromStream":
        return Flux.fromStream(() -> n.values("items").stream());
      case "throwing":
        return Flux.defer(() -> {
          throw new Values.Boom(n.text("msg"));
        });
      case "monoThrowing":
        return Mono.defer(() -> {
          throw new Values.Boom(n.text("msg"));
        });
      case "mergeAll":
        return Flux.merge(asFlux(n.pub("outer")).map(n.inner("inner")), n.integer("concurrency", 256), n.integer("prefetch", 32));
      case "mergeSequentialAll": {
        Flux<Publisher<Object>> all = asFlux(n.pub("outer")).map(n.inner("inner"));
        return n.bool("delayError", false)
            ? Flux.mergeSequentialDelayError(all, n.integer("concurrency", 256), n.integer("prefetch", 32))
            : Flux.mergeSequential(all, n.integer("concurrency", 256), n.integer("prefetch", 32));
      }
      case "rogue":
        return rogue(n);
      case "monoIgnoreElements":
        return Mono.ignoreElements(n.pub("of"));
      case "x":
        return n.in.x;
      case "argRange":
        return tens(n.in.arg, n.integer("count"));
      case "argModRange":
        return tens(n.in.arg, (int) Math.floorMod(Values.num(n.in.arg), (long) n.integer("mod")));
      case "argInterval": {
        long base = Values.num(n.in.arg) * 10;
        return cast(Flux.interval(n.ms("initial"), n.ms("period"), run.scheduler).take(n.integer("count")).map(i -> base + i));
      }
      case "argChildren": {
        List<Object> list = new ArrayList<>();
        long v = Values.num(n.in.arg);
        for (long c = 1; v >= 0 && c <= n.integer("width"); c++) {
          long child = v * n.integer("width") + c;
          if (child <= n.integer("limit")) {
            list.add(child);
          }
        }
        return Flux.fromIterable(list);
      }
      case "argSwitch": {
        JsonNode cases = n.get("cases");
        return build(cases.get((int) Math.floorMod(Values.num(n.in.arg), (long) cases.size())), n.in);
      }
      case "monoJust":
        return Mono.just(n.value("v"));
      case "monoEmpty":
        return Mono.empty();
      case "monoNever":
        return Mono.never();
      case "monoError":
        return Mono.error(new Values.Boom(n.text("msg")));
      case "monoDelay":
        return cast(Mono.delay(n.ms("ms"), run.scheduler));
      case "monoTimed":
        return Mono.create(sink -> sink.onDispose(run.scheduler.schedule(() -> {
          if (n.has("next")) {
            sink.success(n.value("next"));
          } else if (n.has("error")) {
            sink.error(new Values.Boom(n.text("error")));
          } else {
            sink.success();
          }
        }, n.integer("at"), TimeUnit.MILLISECONDS)));
      case "monoCallable":
        return Mono.fromCallable(() -> {
          Values.step();
          if (n.has("msg")) {
            throw new Values.Boom(n.text("msg"));
          }
          return n.has("v") ? n.value("v") : null;
        });
      case "monoRunnable":
        return Mono.fromRunnable(() -> {
          n.record("run");
          if (n.has("msg")) {
            throw new Values.Boom(n.text("msg"));
          }
        });
      case "monoDefer": {
        int[] turn = {0};
        JsonNode of = n.get("of");
        return Mono.defer(() -> asMono(build(of.get(Math.min(turn[0]++, of.size() - 1)), n.in)));
      }
      case "monoZip": {
        Function<Object[], Object> fn = Values.combineAll(n.get("fn"));
        Mono<Object>[] of = array(n.monos(), new Mono[0]);
        return n.bool("delayError", false) ? Mono.zipDelayError(fn, of) : Mono.zip(fn, of);
      }
      case "monoWhen":
        return cast(n.bool("delayError", false) ? Mono.whenDelayError(array(n.pubs())) : Mono.when(array(n.pubs())));
      case "monoFirstWithSignal":
        return Mono.firstWithSignal(n.monos());
      case "monoFirstWithValue":
        return Mono.firstWithValue(n.monos());
      case "monoSequenceEqual": {
        List<Publisher<Object>> of = n.pubs();
        return Mono.sequenceEqual(of.get(0), of.get(1), (a, b) -> Values.num(a) == Values.num(b), n.integer("prefetch", 256))
            .map(Values::bool);
      }
      case "monoFrom":
        return Mono.from(n.pub("of"));
      case "monoUsing":
        return Mono.using(() -> acquire(n), n.innerMono("of"), r -> release(n, r), n.bool("eager", true));
      case "monoUsingWhen":
        return Mono.usingWhen(n.pub("resource"), n.innerMono("of"), cleanup(n, "asyncComplete"),
            (r, e) -> cleanup(n, "asyncError").apply(r), cleanup(n, "asyncCancel"));
      case "arg":
        return Mono.just(n.in.arg);
      case "argDelay": {
        long ms = n.integer("base") + Math.floorMod(Values.num(n.in.arg), (long) n.integer("mod")) * n.integer("mul");
        return Mono.delay(ofMillis(ms), run.scheduler).map(i -> n.in.arg);
      }
      case "argFailIf":
        return n.pred("pred").test(n.in.arg) ? Mono.error(new Values.Boom(n.text("msg"))) : Mono.just(n.in.arg);
      case "argEmptyIf":
        return n.pred("pred").test(n.in.arg) ? Mono.empty() : Mono.just(n.in.arg);
      case "argThrowIf":
        if (n.pred("pred").test(n.in.arg)) {
          throw new Values.Boom(n.text("msg"));
        }
        return Mono.just(n.in.arg);
      default:
        throw new IllegalArgumentException("source " + n.op());
    }
  }

  private static Flux<Object> tens(Object v, int count) {
    return cast(Flux.range((int) Values.num(v) * 10, count).map(i -> (long) i));
  }

  private Object acquire(Node n) {
    n.record("acquire");
    if (n.bool("failAcquire", false)) {
      throw new Values.Boom("acquire");
    }
    return n.value("resource");
  }

  private void release(Node n, Object r) {
    n.record("release", r);
    if (n.bool("failRelease", false)) {
      throw new Values.Boom("release");
    }
  }

  private Function<Object, Publisher<Object>> cleanup(Node n, String name) {
    return r -> {
      n.record(name, r);
      return n.inner(name).apply(r);
    };
  }

  private Flux<Object> timed(Node n) {
    Consumer<FluxSink<Object>> fn = sink -> {
      Disposable.Composite all = Disposables.composite();
      for (JsonNode e : n.get("events")) {
        all.add(run.scheduler.schedule(() -> {
          if (e.has("next")) {
            sink.next(Values.value(e.get("next")));
          } else if (e.has("error")) {
            sink.error(new Values.Boom(e.get("error").asText()));
          } else {
            sink.complete();
          }
        }, e.get("at").asLong(), TimeUnit.MILLISECONDS));
      }
      sink.onDispose(all);
    };
    return n.bool("push", false) ? Flux.push(fn, overflow(n)) : Flux.create(fn, overflow(n));
  }

  private static OverflowStrategy overflow(Node n) {
    return n.has("overflow") ? OverflowStrategy.valueOf(n.text("overflow").toUpperCase()) : OverflowStrategy.BUFFER;
  }

  /** Sends as many as are requested, and extra. */
  private static Consumer<FluxSink<Object>> onRequest(Node n) {
    int count = n.integer("count");
    int extra = n.integer("extra", 0);
    return sink -> {
      int[] next = {0};
      if (n.has("tag")) {
        sink.onDispose(() -> n.record("onDispose"));
      }
      sink.onRequest(k -> {
        Values.step();
        long most = Math.min(count, k) + extra;
        for (long i = 0; i < most && next[0] < count && !sink.isCancelled(); i++) {
          sink.next((long) next[0]++);
        }
        if (next[0] == count) {
          next[0]++;
          switch (n.text("end")) {
            case "complete" -> sink.complete();
            case "error" -> sink.error(new Values.Boom("boom"));
            default -> { }
          }
        }
      });
    };
  }

  /** A publisher that does not stop when it is cancelled, and may go on after its end or without demand. */
  private Flux<Object> rogue(Node n) {
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Object> actual) {
        long[] asked = {0};
        boolean[] over = {false};
        actual.onSubscribe(new Subscription() {
          @Override
          public void request(long k) {
            asked[0] = Operators.addCap(asked[0], k);
          }

          @Override
          public void cancel() {}
        });
        for (JsonNode e : n.get("events")) {
          run.scheduler.schedule(() -> {
            Values.step();
            if (over[0] && !n.bool("afterEnd", false)) {
              return;
            }
            if (e.has("next")) {
              if (asked[0] > 0 || n.bool("unasked", false)) {
                asked[0]--;
                actual.onNext(Values.value(e.get("next")));
              }
              return;
            }
            over[0] = true;
            if (e.has("error")) {
              actual.onError(new Values.Boom(e.get("error").asText()));
            } else {
              actual.onComplete();
            }
          }, e.get("at").asLong(), TimeUnit.MILLISECONDS);
        }
      }
    };
  }

  private Flux<Object> generate(Node n) {
    int start = n.integer("start"), count = n.integer("count");
    String end = n.text("end");
    BiFunction<Integer, SynchronousSink<Object>, Integer> fn = (st, sink) -> {
      Values.step();
      if (st - start < count) {
        sink.next((long) st);
      } else if (end.equals("complete")) {
        sink.complete();
      } else if (end.equals("error")) {
        sink.error(new Values.Boom("boom"));
      } else {
        throw new Values.Boom("boom");
      }
      return st + 1;
    };
    Consumer<Integer> cleanup = st -> {
      if (n.has("tag")) {
        n.record("stateCleanup", (long) st);
      }
    };
    return n.has("tag") ? Flux.generate(() -> start, fn, cleanup) : Flux.generate(() -> start, fn);
  }

  private Publisher<Object> onFlux(Flux<Object> f, Node n) {
    switch (n.op()) {
      case "map":
        return f.map(n.fn("fn"));
      case "mapNotNull": {
        Predicate<Object> drop = n.pred("dropIf");
        Function<Object, Object> fn = n.fn("fn");
        return f.mapNotNull(v -> drop.test(v) ? null : fn.apply(v));
      }
      case "handle":
        return f.handle((v, sink) -> handle(n, v, sink));
      case "hide":
        return f.hide();
      case "scan":
        return f.scan(n.combine());
      case "scanWithSeed":
        return n.has("failSeed") ? f.scanWith(seed(n), n.combine()) : f.scan(n.value("seed"), n.combine());
      case "index":
        return f.index((i, v) -> Values.pair(i, v));
      case "materialize":
        return cast(f.materialize());
      case "dematerialize":
        return f.map(v -> signal(n, v)).dematerialize();
      case "flatMapIterable":
        return f.flatMapIterable(Values.iter(n.get("iter")), n.integer("prefetch", 256));
      case "concatMapIterable":
        return f.concatMapIterable(Values.iter(n.get("iter")), n.integer("prefetch", 32));
      case "concatMap":
        return f.concatMap(n.inner("inner"), n.integer("prefetch", 32));
      case "concatMapDelayError":
        return f.concatMapDelayError(n.inner("inner"), n.bool("untilEnd", true), n.integer("prefetch", 32));
      case "flatMap":
        return f.flatMap(n.inner("inner"), n.integer("concurrency", 256), n.integer("prefetch", 32));
      case "flatMapDelayError":
        return f.flatMapDelayError(n.inner("inner"), n.integer("concurrency", 256), n.integer("prefetch", 32));
      case "flatMapSequential":
        return f.flatMapSequential(n.inner("inner"), n.integer("concurrency", 256), n.integer("prefetch", 32));
      case "flatMapSequentialDelayError":
        return f.flatMapSequentialDelayError(n.inner("inner"), n.integer("concurrency", 256), n.integer("prefetch", 32));
      case "flatMapSignal":
        return f.flatMap(n.inner("onNext"), e -> n.inner("onError").apply(-1L), () -> n.inner("onComplete").apply(-2L));
      case "switchMap": {
        Function<Object, Publisher<Object>> inner = n.inner("inner");
        return f.switchMap(v -> inner.apply(v), n.integer("prefetch", 0));
      }
      case "switchOnFirst": {
        Predicate<Object> pred = n.pred("pred");
        Function<Object, Object> then = n.fn("then");
        Function<Object, Publisher<Object>> otherwise = n.inner("else");
        return f.switchOnFirst((s, all) -> {
          if (!s.hasValue()) {
            return all;
          }
          return pred.test(s.get()) ? all.map(then) : otherwise.apply(s.get());
        }, n.bool("cancelSource", true));
      }
      case "expand":
        return f.expand(n.inner("inner"));
      case "expandDeep":
        return f.expandDeep(n.inner("inner"));
      case "addCtx":
        return f.transformDeferredContextual((x, ctx) -> {
          long add = Values.num(ctx.getOrDefault(n.text("key"), (Object) 0L));
          return x.map(v -> Values.num(v) + add);
        });
      case "contextWrite":
        return f.contextWrite(Context.of(n.text("key"), n.value("v")));

      case "reduce":
        return f.reduce(n.combine());
      case "reduceWithSeed":
        return n.has("failSeed") ? f.reduceWith(seed(n), n.combine()) : f.reduce(n.value("seed"), n.combine());
      case "collectList":
        return cast(f.collectList());
      case "collectSortedList":
        return cast(f.collectSortedList(Values.BY_NUM));
      case "collectMap":
        return (n.has("value") ? f.collectMap(Values.key(n.get("key")), n.fn("value")) : f.collectMap(Values.key(n.get("key"))))
            .map(m -> entries(m));
      case "collectMultimap":
        return (n.has("value") ? f.collectMultimap(Values.key(n.get("key")), n.fn("value")) : f.collectMultimap(Values.key(n.get("key"))))
            .map(m -> entries(m));
      case "collect": {
        Function<Object, Object> fn = n.fn("fn");
        return cast(f.<List<Object>>collect(() -> {
          if (n.bool("failSeed", false)) {
            throw new Values.Boom("seed");
          }
          return new ArrayList<>();
        }, (list, v) -> list.add(fn.apply(v))));
      }
      case "count":
        return cast(f.count());
      case "all":
        return f.all(n.pred("pred")).map(Values::bool);
      case "any":
        return f.any(n.pred("pred")).map(Values::bool);
      case "hasElements":
        return f.hasElements().map(Values::bool);
      case "hasElement": {
        long want = Values.num(n.value("v"));
        return f.any(v -> Values.num(v) == want).map(Values::bool);
      }
      case "elementAt":
        return n.has("default") ? f.elementAt(n.integer("index"), n.value("default")) : f.elementAt(n.integer("index"));
      case "last":
        return n.has("default") ? f.last(n.value("default")) : f.last();
      case "next":
        return f.next();
      case "single":
        return n.has("default") ? f.single(n.value("default")) : f.single();
      case "singleOrEmpty":
        return f.singleOrEmpty();
      case "ignoreElements":
        return f.ignoreElements();
      case "then":
        return cast(f.then());
      case "thenMono":
        return f.then(n.mono("other"));
      case "thenEmpty":
        return cast(f.thenEmpty(nothing(n.pub("other"))));
      case "thenMany":
        return f.thenMany(n.pub("other"));
      case "shareNext":
        return f.shareNext();

      case "filter":
        return f.filter(n.pred("pred"));
      case "filterWhen":
        return f.filterWhen(test(n), n.integer("prefetch", 256));
      case "take":
        return f.take(n.integer("n"), n.bool("limit", true));
      case "takeDuration":
        return f.take(n.ms("ms"), run.scheduler);
      case "takeLast":
        return f.takeLast(n.integer("n"));
      case "takeWhile":
        return f.takeWhile(n.pred("pred"));
      case "takeUntil":
        return f.takeUntil(n.pred("pred"));
      case "takeUntilOther":
        return f.takeUntilOther(n.pub("other"));
      case "skip":
        return f.skip(n.integer("n"));
      case "skipDuration":
        return f.skip(n.ms("ms"), run.scheduler);
      case "skipLast":
        return f.skipLast(n.integer("n"));
      case "skipWhile":
        return f.skipWhile(n.pred("pred"));
      case "skipUntil":
        return f.skipUntil(n.pred("pred"));
      case "skipUntilOther":
        return f.skipUntilOther(n.pub("other"));
      case "distinct":
        return f.distinct(Values.key(n.get("key")));
      case "distinctStore":
        return f.<Long, Store>distinct(Values.key(n.get("key")), Store::new, (set, k) -> set.add(k),
            set -> set.cleanUp(n));
      case "distinctUntilChanged":
        return n.has("near") ? f.distinctUntilChanged(Values.key(n.get("key")), near(n)) : f.distinctUntilChanged(Values.key(n.get("key")));
      case "ofType":
        return cast(f.ofType(Long.class));
      case "checkpoint":
        return f.checkpoint("here");
      case "tap":
        return f.tap(() -> listener(n));
      case "sort":
        return f.sort(Values.BY_NUM);
      case "defaultIfEmpty":
        return f.defaultIfEmpty(n.value("v"));
      case "switchIfEmpty":
        return f.switchIfEmpty(n.pub("other"));

      case "concatWith":
        return f.concatWith(n.pub("other"));
      case "startWith":
        return f.startWith(n.pub("other"));
      case "mergeWith":
        return f.mergeWith(n.pub("other"));
      case "mergeComparingWith":
        return f.mergeComparingWith(n.pub("other"), Values.BY_NUM);
      case "or":
        return f.or(n.pub("other"));
      case "concatWithValues":
        return f.concatWithValues(n.values("items").toArray());
      case "startWithValues":
        return f.startWith(n.values("items").toArray());
      case "zipWith":
        return f.zipWith(n.pub("other"), n.integer("prefetch", 32), n.combine());
      case "zipWithIterable":
        return f.zipWithIterable(n.values("items"), n.combine());
      case "withLatestFrom":
        return f.withLatestFrom(n.pub("other"), n.combine());
      case "join": {
        BiFunction<Object, Object, Object> fn = n.combine();
        return f.join(n.pub("other"), n.inner("leftEnd"), n.inner("rightEnd"), fn);
      }
      case "groupJoin":
        return f.groupJoin(n.pub("other"), n.inner("leftEnd"), n.inner("rightEnd"),
            (v, matches) -> matches.collectList().map(l -> Values.pair(v, l))).flatMap(m -> m);

      case "delayElements":
        return f.delayElements(n.ms("ms"), run.scheduler);
      case "delaySequence":
        return f.delaySequence(n.ms("ms"), run.scheduler);
      case "delaySubscription":
        return n.has("other") ? f.delaySubscription(n.pub("other")) : f.delaySubscription(n.ms("ms"), run.scheduler);
      case "delayUntil":
        return f.delayUntil(n.inner("inner"));
      case "sample":
        return n.has("other") ? f.sample(n.pub("other")) : f.sample(n.ms("ms"));
      case "sampleFirst":
        return n.has("inner") ? f.sampleFirst(n.inner("inner")) : f.sampleFirst(n.ms("ms"));
      case "sampleTimeout":
        return f.sampleTimeout(n.inner("inner"), n.integer("concurrency", 32));
      case "timeout":
        return n.has("fallback") ? f.timeout(n.ms("ms"), n.pub("fallback"), run.scheduler) : f.timeout(n.ms("ms"), run.scheduler);
      case "timeoutPub": {
        Publisher<Object> first = n.pub("first");
        if (!n.has("inner")) {
          return f.timeout(first);
        }
        return n.has("fallback") ? f.timeout(first, n.inner("inner"), n.pub("fallback")) : f.timeout(first, n.inner("inner"));
      }
      case "timestamp":
        return f.timestamp(run.scheduler).map(t -> Values.pair(t.getT1(), t.getT2()));
      case "elapsed":
        return f.elapsed(run.scheduler).map(t -> Values.pair(t.getT1(), t.getT2()));

      case "retry":
        return f.retry(n.integer("n"));
      case "retryWhen":
        return f.retryWhen(retry(n));
      case "repeat":
        return n.has("while") ? f.repeat(n.integer("n"), times(n)) : f.repeat(n.integer("n"));
      case "repeatWhen":
        return f.repeatWhen(completions -> companion(n, completions));
      case "onErrorReturn":
        return n.has("match") ? f.onErrorReturn(n.match(), n.value("v")) : f.onErrorReturn(n.value("v"));
      case "onErrorResume": {
        Function<Throwable, Publisher<Object>> other = e -> {
          n.fail();
          return n.pub("other");
        };
        return n.has("match") ? f.onErrorResume(n.match(), other) : f.onErrorResume(other);
      }
      case "onErrorComplete":
        return n.has("match") ? f.onErrorComplete(n.match()) : f.onErrorComplete();
      case "onErrorMap": {
        Function<Throwable, Throwable> to = e -> {
          n.fail();
          return new Values.Boom(n.text("msg"));
        };
        return n.has("match") ? f.onErrorMap(n.match(), to) : f.onErrorMap(to);
      }
      case "onErrorContinue":
        return n.has("match") ? f.onErrorContinue(n.match(), (e, v) -> continued(n, e, v)) : f.onErrorContinue((e, v) -> continued(n, e, v));
      case "onErrorStop":
        return f.onErrorStop();

      case "poke": {
        Runnable poke = run.poke(n.at);
        return switch (n.text("on")) {
          case "subscribe" -> f.doOnSubscribe(s -> poke.run());
          case "request" -> f.doOnRequest(k -> poke.run());
          case "next" -> f.doOnNext(v -> poke.run());
          case "terminate" -> f.doOnTerminate(poke);
          case "cancel" -> f.doOnCancel(poke);
          default -> throw new IllegalArgumentException("poke on " + n.text("on"));
        };
      }
      case "doFirst":
        return f.doFirst(() -> {
          n.record("first");
          n.fail();
        });
      case "doOnSubscribe":
        return f.doOnSubscribe(s -> {
          n.record("subscribe");
          n.fail();
        });
      case "doOnRequest":
        return f.doOnRequest(k -> run.peek(Run.demand(n.entry("request"), "n", k)));
      case "doOnNext":
        return f.doOnNext(v -> tap(n, v));
      case "doOnComplete":
        return f.doOnComplete(() -> {
          n.record("complete");
          n.fail();
        });
      case "doOnError":
        return f.doOnError(e -> {
          n.recordError("error", e);
          n.fail();
        });
      case "doOnTerminate":
        return f.doOnTerminate(() -> {
          n.record("terminate");
          n.fail();
        });
      case "doAfterTerminate":
        return f.doAfterTerminate(() -> {
          n.record("afterTerminate");
          n.fail();
        });
      case "doOnCancel":
        return f.doOnCancel(() -> n.record("cancel"));
      case "doFinally":
        return f.doFinally(how -> {
          n.record("finally:" + how);
          n.fail();
        });
      case "doOnEach":
        return f.doOnEach(s -> each(n, s));
      case "doOnDiscard":
        return f.doOnDiscard(Object.class, v -> discarded(n, v));

      case "limitRate":
        return n.has("low") ? f.limitRate(n.integer("high"), n.integer("low")) : f.limitRate(n.integer("high"));
      case "onBackpressureBuffer": {
        if (!n.has("size")) {
          return f.onBackpressureBuffer();
        }
        int size = n.integer("size");
        if (n.has("ttlMs")) {
          return f.onBackpressureBuffer(n.ms("ttlMs"), size, v -> n.record("evict", v), run.scheduler);
        }
        if (n.has("strategy")) {
          return f.onBackpressureBuffer(size, v -> n.record("overflow", v), BufferOverflowStrategy.valueOf(n.text("strategy")));
        }
        return f.onBackpressureBuffer(size, v -> n.record("overflow", v));
      }
      case "onBackpressureDrop":
        return f.onBackpressureDrop(v -> n.record("drop", v));
      case "onBackpressureLatest":
        return f.onBackpressureLatest();
      case "onBackpressureError":
        return f.onBackpressureError();
      case "publishOn":
        return f.publishOn(run.scheduler, n.bool("delayError", true), n.integer("prefetch", 256));
      case "subscribeOn":
        return f.subscribeOn(run.scheduler, n.bool("requestOnSeparateThread", true));
      case "cancelOn":
        return f.cancelOn(run.scheduler);
      case "parallel":
        return f.parallel(n.integer("n"), n.integer("prefetch", 256)).runOn(run.scheduler, n.integer("runPrefetch", 256))
            .map(n.fn("fn")).sequential(n.integer("prefetch", 256));
      case "rails":
        return rails(f, n);

      case "buffer":
        return cast(n.has("skip") ? f.buffer(n.integer("size"), n.integer("skip")) : f.buffer(n.integer("size")));
      case "bufferDuration":
        return cast(n.has("everyMs") ? f.buffer(n.ms("ms"), n.ms("everyMs"), run.scheduler) : f.buffer(n.ms("ms"), run.scheduler));
      case "bufferOther":
        return cast(f.buffer(n.pub("other")));
      case "bufferWhen":
        return cast(f.bufferWhen(n.pub("open"), n.inner("close")));
      case "bufferTimeout":
        return cast(f.bufferTimeout(n.integer("size"), n.ms("ms"), run.scheduler, n.bool("fair", false)));
      case "bufferUntil":
        return cast(f.bufferUntil(n.pred("pred"), n.bool("cutBefore", false)));
      case "bufferUntilChanged":
        return cast(n.has("near") ? f.bufferUntilChanged(Values.key(n.get("key")), near(n)) : f.bufferUntilChanged(Values.key(n.get("key"))));
      case "bufferWhile":
        return cast(f.bufferWhile(n.pred("pred")));

      case "window":
        return flat(n, n.has("skip") ? f.window(n.integer("size"), n.integer("skip")) : f.window(n.integer("size")));
      case "windowDuration":
        return flat(n, n.has("everyMs") ? f.window(n.ms("ms"), n.ms("everyMs"), run.scheduler) : f.window(n.ms("ms"), run.scheduler));
      case "windowOther":
        return flat(n, f.window(n.pub("other")));
      case "windowWhen":
        return flat(n, f.windowWhen(n.pub("open"), n.inner("close")));
      case "windowTimeout":
        return flat(n, f.windowTimeout(n.integer("size"), n.ms("ms"), run.scheduler, n.bool("fair", false)));
      case "windowUntil":
        return flat(n, f.windowUntil(n.pred("pred"), n.bool("cutBefore", false)));
      case "windowUntilChanged":
        return flat(n, n.has("near") ? f.windowUntilChanged(Values.key(n.get("key")), near(n)) : f.windowUntilChanged(Values.key(n.get("key"))));
      case "windowWhile":
        return flat(n, f.windowWhile(n.pred("pred")));
      case "groupBy": {
        Function<GroupedFlux<Long, Object>, Publisher<Object>> fn = switch (n.text("flat")) {
          case "collect" -> g -> g.collectList().map(l -> Values.pair(g.key(), l));
          case "merge" -> g -> g.map(v -> Values.pair(g.key(), v));
          case "ops" -> g -> asFlux(apply(g, n.get("ops"), n.in)).map(v -> Values.pair(g.key(), v));
          default -> g -> g.take(n.integer("n", 1)).collectList().map(l -> Values.pair(g.key(), l));
        };
        Flux<GroupedFlux<Long, Object>> groups = n.has("value")
            ? f.groupBy(Values.key(n.get("key")), n.fn("value"), n.integer("prefetch", 256))
            : f.groupBy(Values.key(n.get("key")), n.integer("prefetch", 256));
        if (n.has("most")) {
          groups = groups.take(n.integer("most"));
        }
        return groups.flatMap(fn, n.integer("concurrency", 256));
      }
      case "publishSelector": {
        Function<Flux<Object>, Publisher<Object>> fn = switch (n.text("mode")) {
          case "merge" -> x -> Flux.merge(x.filter(v -> Values.num(v) % 2 == 0), x.map(v -> -Values.num(v)));
          case "zip" -> x -> Flux.zip(x, x.skip(1), Values::pair);
          case "ops" -> x -> apply(x, n.get("ops"), new Scope(n.in.arg, x));
          case "other" -> x -> n.pub("other");
          default -> x -> Flux.concat(x.take(1), x.take(2));
        };
        return n.has("prefetch") ? f.publish(fn, n.integer("prefetch")) : f.publish(fn);
      }

      case "share":
        return f.share();
      case "publish":
        return connectable(publish(f, n));
      case "publishRefCount":
        return refCount(publish(f, n), n);
      case "publishAutoConnect":
        return publish(f, n).autoConnect(n.integer("min", 1));
      case "replay":
        return connectable(replay(f, n));
      case "replayRefCount":
        return refCount(replay(f, n), n);
      case "replayAutoConnect":
        return replay(f, n).autoConnect(n.integer("min", 1));
      case "cache":
        if (n.has("history")) {
          return n.has("ms") ? f.cache(n.integer("history"), n.ms("ms"), run.scheduler) : f.cache(n.integer("history"));
        }
        return n.has("ms") ? f.cache(n.ms("ms"), run.scheduler) : f.cache();
      default:
        throw new IllegalArgumentException("operator of a flux: " + n.op());
    }
  }

  private Publisher<Object> onMono(Mono<Object> m, Node n) {
    switch (n.op()) {
      case "map":
        return m.map(n.fn("fn"));
      case "mapNotNull": {
        Predicate<Object> drop = n.pred("dropIf");
        Function<Object, Object> fn = n.fn("fn");
        return m.mapNotNull(v -> drop.test(v) ? null : fn.apply(v));
      }
      case "handle":
        return m.handle((v, sink) -> handle(n, v, sink));
      case "hide":
        return m.hide();
      case "filter":
        return m.filter(n.pred("pred"));
      case "filterWhen":
        return m.filterWhen(test(n));
      case "defaultIfEmpty":
        return m.defaultIfEmpty(n.value("v"));
      case "switchIfEmpty":
        return m.switchIfEmpty(n.mono("other"));
      case "materialize":
        return cast(m.materialize());
      case "dematerialize":
        return m.map(v -> signal(n, v)).dematerialize();
      case "timestamp":
        return m.timestamp(run.scheduler).map(t -> Values.pair(t.getT1(), t.getT2()));
      case "elapsed":
        return m.elapsed(run.scheduler).map(t -> Values.pair(t.getT1(), t.getT2()));
      case "addCtx":
        return m.transformDeferredContextual((x, ctx) -> {
          long add = Values.num(ctx.getOrDefault(n.text("key"), (Object) 0L));
          return x.map(v -> Values.num(v) + add);
        });
      case "contextWrite":
        return m.contextWrite(Context.of(n.text("key"), n.value("v")));
      case "then":
        return cast(m.then());
      case "thenMono":
        return m.then(n.mono("other"));
      case "thenEmpty":
        return cast(m.thenEmpty(nothing(n.pub("other"))));
      case "thenMany":
        return m.thenMany(n.pub("other"));
      case "thenReturn":
        return m.thenReturn(n.value("v"));
      case "delaySubscription":
        return n.has("other") ? m.delaySubscription(n.pub("other")) : m.delaySubscription(n.ms("ms"), run.scheduler);
      case "delayUntil":
        return m.delayUntil(n.inner("inner"));
      case "delayElement":
        return m.delayElement(n.ms("ms"), run.scheduler);
      case "takeDuration":
        return m.take(n.ms("ms"), run.scheduler);
      case "takeUntilOther":
        return m.takeUntilOther(n.pub("other"));
      case "timeout":
        return n.has("fallback") ? m.timeout(n.ms("ms"), n.mono("fallback"), run.scheduler) : m.timeout(n.ms("ms"), run.scheduler);
      case "timeoutPub":
        return n.has("fallback") ? m.timeout(n.pub("first"), n.mono("fallback")) : m.timeout(n.pub("first"));
      case "retry":
        return m.retry(n.integer("n"));
      case "retryWhen":
        return m.retryWhen(retry(n));
      case "repeat":
        return n.has("while") ? m.repeat(n.integer("n"), times(n)) : m.repeat(n.integer("n"));
      case "repeatWhen":
        return m.repeatWhen(completions -> companion(n, completions));
      case "repeatWhenEmpty":
        return n.has("max") ? m.repeatWhenEmpty(n.integer("max"), completions -> companion(n, completions))
            : m.repeatWhenEmpty(completions -> companion(n, completions));
      case "onErrorReturn":
        return n.has("match") ? m.onErrorReturn(n.match(), n.value("v")) : m.onErrorReturn(n.value("v"));
      case "onErrorResume": {
        Function<Throwable, Mono<Object>> other = e -> {
          n.fail();
          return n.mono("other");
        };
        return n.has("match") ? m.onErrorResume(n.match(), other) : m.onErrorResume(other);
      }
      case "onErrorComplete":
        return n.has("match") ? m.onErrorComplete(n.match()) : m.onErrorComplete();
      case "onErrorMap": {
        Function<Throwable, Throwable> to = e -> {
          n.fail();
          return new Values.Boom(n.text("msg"));
        };
        return n.has("match") ? m.onErrorMap(n.match(), to) : m.onErrorMap(to);
      }
      case "onErrorContinue":
        return n.has("match") ? m.onErrorContinue(n.match(), (e, v) -> continued(n, e, v)) : m.onErrorContinue((e, v) -> continued(n, e, v));
      case "onErrorStop":
        return m.onErrorStop();
      case "poke": {
        Runnable poke = run.poke(n.at);
        return switch (n.text("on")) {
          case "subscribe" -> m.doOnSubscribe(s -> poke.run());
          case "request" -> m.doOnRequest(k -> poke.run());
          case "next" -> m.doOnNext(v -> poke.run());
          case "terminate" -> m.doOnTerminate(poke);
          case "cancel" -> m.doOnCancel(poke);
          default -> throw new IllegalArgumentException("poke on " + n.text("on"));
        };
      }
      case "doFirst":
        return m.doFirst(() -> {
          n.record("first");
          n.fail();
        });
      case "doOnSubscribe":
        return m.doOnSubscribe(s -> {
          n.record("subscribe");
          n.fail();
        });
      case "doOnRequest":
        return m.doOnRequest(k -> run.peek(Run.demand(n.entry("request"), "n", k)));
      case "doOnNext":
        return m.doOnNext(v -> tap(n, v));
      case "doOnSuccess":
        return m.doOnSuccess(v -> {
          if (v == null) {
            n.record("success");
          } else {
            n.record("success", v);
          }
          n.fail();
        });
      case "doOnError":
        return m.doOnError(e -> {
          n.recordError("error", e);
          n.fail();
        });
      case "doOnTerminate":
        return m.doOnTerminate(() -> {
          n.record("terminate");
          n.fail();
        });
      case "doAfterTerminate":
        return m.doAfterTerminate(() -> {
          n.record("afterTerminate");
          n.fail();
        });
      case "doOnCancel":
        return m.doOnCancel(() -> n.record("cancel"));
      case "doFinally":
        return m.doFinally(how -> {
          n.record("finally:" + how);
          n.fail();
        });
      case "doOnEach":
        return m.doOnEach(s -> each(n, s));
      case "doOnDiscard":
        return m.doOnDiscard(Object.class, v -> discarded(n, v));
      case "publishOn":
        return m.publishOn(run.scheduler);
      case "subscribeOn":
        return m.subscribeOn(run.scheduler);
      case "cancelOn":
        return m.cancelOn(run.scheduler);
      case "expand":
        return m.expand(n.inner("inner"));
      case "expandDeep":
        return m.expandDeep(n.inner("inner"));
      case "concatWith":
        return m.concatWith(n.pub("other"));
      case "mergeWith":
        return m.mergeWith(n.pub("other"));
      case "flatMap":
        return m.flatMap(n.innerMono("inner"));
      case "flatMapMany":
        return m.flatMapMany(n.inner("inner"));
      case "flatMapManySignal":
        return m.flatMapMany(n.inner("onNext"), e -> n.inner("onError").apply(-1L), () -> n.inner("onComplete").apply(-2L));
      case "flatMapIterable":
        return m.flatMapIterable(Values.iter(n.get("iter")));
      case "zipWith":
        return m.zipWith(n.mono("other"), n.combine());
      case "zipWhen": {
        Function<Object, Mono<Object>> inner = n.innerMono("inner");
        return m.zipWhen(v -> inner.apply(v), n.combine());
      }
      case "and":
        return cast(m.and(n.pub("other")));
      case "or":
        return m.or(n.mono("other"));
      case "ignoreElement":
        return m.ignoreElement();
      case "hasElement":
        return m.hasElement().map(Values::bool);
      case "single":
        return m.single();
      case "singleOptional":
        return m.singleOptional().map(o -> o.map(v -> List.of(v)).orElse(List.of()));
      case "flux":
        return m.flux();
      case "cache":
        return n.has("ms") ? m.cache(n.ms("ms"), run.scheduler) : m.cache();
      case "cacheInvalidateWhen": {
        Function<Object, Mono<Object>> inner = n.innerMono("inner");
        return m.cacheInvalidateWhen(v -> inner.apply(v).then(), v -> n.record("gone", v));
      }
      case "cacheFor":
        return m.cache(v -> n.ms("ms"), e -> n.ms("errorMs"), () -> n.ms("emptyMs"), run.scheduler);
      case "checkpoint":
        return m.checkpoint("here");
      case "tap":
        return m.tap(() -> listener(n));
      case "cacheInvalidateIf":
        return m.cacheInvalidateIf(n.pred("pred"));
      case "share":
        return m.share();
      case "publishSelector":
        return m.publish(x -> Mono.zip(x, x.map(v -> -Values.num(v)), Values::pair));
      default:
        throw new IllegalArgumentException("operator of a mono: " + n.op());
    }
  }

  private static Supplier<Object> seed(Node n) {
    return () -> {
      if (n.bool("failSeed", false)) {
        throw new Values.Boom("seed");
      }
      return n.value("seed");
    };
  }

  private static BiPredicate<Long, Long> near(Node n) {
    return (a, b) -> {
      Values.step();
      return Math.abs(a - b) <= n.integer("near");
    };
  }

  private static BooleanSupplier times(Node n) {
    int[] turn = {0};
    return () -> {
      Values.step();
      return turn[0]++ < n.integer("while");
    };
  }

  /** What one subscription of distinctStore remembers. Its cleanup counts once: a stage that is cancelled and ends besides calls it twice. */
  private static final class Store extends HashSet<Long> {
    private boolean cleaned;

    void cleanUp(Node n) {
      if (!cleaned) {
        cleaned = true;
        n.record("cleanup", (long) size());
      }
    }
  }

  private static SignalListener<Object> listener(Node n) {
    return new DefaultSignalListener<>() {
      private boolean over;

      @Override
      public void doFirst() {
        n.record("tap:first");
      }

      @Override
      public void doFinally(SignalType how) {
        if (!over) { // a stage that is cancelled and ends besides comes here twice
          over = true;
          n.record("tap:finally:" + how);
        }
      }

      @Override
      public void doOnSubscription() {
        n.record("tap:subscription");
      }

      @Override
      public void doOnCancel() {
        n.record("tap:cancel");
      }

      @Override
      public void doOnNext(Object v) {
        n.record("tap:next", v);
      }

      @Override
      public void doOnComplete() {
        n.record("tap:complete");
      }

      @Override
      public void doOnError(Throwable e) {
        n.recordError("tap:error", e);
      }

      @Override
      public void doAfterComplete() {
        n.record("tap:afterComplete");
      }

      @Override
      public void doAfterError(Throwable e) {
        n.recordError("tap:afterError", e);
      }
    };
  }

  private Publisher<Object> rails(Flux<Object> f, Node n) {
    ParallelFlux<Object> rails = f.parallel(n.integer("n"), n.integer("prefetch", 256));
    for (JsonNode at : n.get("steps")) {
      Node step = new Node(at, n.in);
      rails = switch (step.op()) {
        case "runOn" -> rails.runOn(run.scheduler, step.integer("prefetch", 256));
        case "map" -> rails.map(step.fn("fn"));
        case "filter" -> rails.filter(step.pred("pred"));
        case "flatMap" -> rails.flatMap(step.inner("inner"), step.bool("delayError", false), step.integer("concurrency", 256),
            step.integer("prefetch", 32));
        case "concatMap" -> rails.concatMap(step.inner("inner"), step.integer("prefetch", 2));
        case "doOnNext" -> rails.doOnNext(v -> tap(step, v));
        case "doOnComplete" -> rails.doOnComplete(() -> step.record("complete"));
        case "reduceWith" -> rails.reduce(() -> step.value("seed"), step.combine());
        case "hide" -> rails.hide();
        case "groups" -> rails.transformGroups(r -> asFlux(apply(r, step.get("ops"), n.in)));
        default -> throw new IllegalArgumentException("step of rails: " + step.op());
      };
    }
    int prefetch = n.integer("endPrefetch", 256);
    return switch (n.text("end")) {
      case "sequential" -> rails.sequential(prefetch);
      case "ordered" -> rails.ordered(Values.BY_NUM, prefetch);
      case "sorted" -> rails.sorted(Values.BY_NUM);
      case "collectSortedList" -> cast(rails.collectSortedList(Values.BY_NUM));
      case "reduce" -> rails.reduce(n.combine());
      case "then" -> cast(rails.then());
      case "groups" -> rails.groups().flatMap(g -> g.map(v -> Values.pair((long) g.key(), v)));
      default -> throw new IllegalArgumentException("end of rails: " + n.text("end"));
    };
  }

  private static Publisher<Void> nothing(Publisher<Object> p) {
    return p instanceof Mono<Object> m ? m.then() : ((Flux<Object>) p).then();
  }

  private static Function<Object, Publisher<Boolean>> test(Node n) {
    Function<Object, Publisher<Object>> inner = n.inner("inner");
    return v -> asFlux(inner.apply(v)).map(x -> Math.floorMod(Values.num(x), 2) == 0);
  }

  private static void handle(Node n, Object v, SynchronousSink<Object> sink) {
    long k = Values.num(v);
    if (n.has("completeAt") && k == n.integer("completeAt")) {
      sink.complete();
    } else if (n.has("errorAt") && k == n.integer("errorAt")) {
      sink.error(new Values.Boom("handle"));
    } else if (!n.has("skip") || !n.pred("skip").test(v)) {
      sink.next(n.has("fn") ? n.fn("fn").apply(v) : v);
    }
  }

  @SuppressWarnings("unchecked")
  private static Signal<Object> signal(Node n, Object v) {
    if (v instanceof Signal<?> s) {
      return (Signal<Object>) s;
    }
    long k = Values.num(v);
    if (n.has("completeAt") && k == n.integer("completeAt")) {
      return Signal.complete();
    }
    if (n.has("errorAt") && k == n.integer("errorAt")) {
      return Signal.error(new Values.Boom("demat"));
    }
    return Signal.next(v);
  }

  private static void continued(Node n, Throwable e, Object v) {
    ObjectNode entry = n.entry("continue").put("e", Values.kind(e));
    if (v instanceof Long || v instanceof List<?> || v instanceof Signal<?>) { // not a publisher in hand
      entry.set("v", Values.json(v));
    }
    n.log(entry);
  }

  private void discarded(Node n, Object v) {
    if (v instanceof Map<?, ?>) {
      run.fault("a map is discarded, which is no value of the format");
      return;
    }
    n.record("discard", v);
  }

  private static void tap(Node n, Object v) {
    n.record("next", v);
    if (n.has("failAt") && Values.num(v) == n.integer("failAt")) {
      throw new Values.Boom("tap");
    }
  }

  private static void each(Node n, Signal<Object> s) {
    if (s.isOnNext()) {
      n.record("each:next", s.get());
    } else if (s.isOnError()) {
      n.recordError("each:error", s.getThrowable());
    } else {
      n.record("each:complete");
    }
  }

  private static Object entries(Map<Long, ?> m) {
    List<Object> list = new ArrayList<>();
    new TreeMap<>(m).forEach((k, v) -> list.add(Values.pair(k, v instanceof Collection<?> c ? new ArrayList<>(c) : v)));
    return list;
  }

  private RetrySpec hooked(Node n, RetrySpec spec) {
    if (n.has("tag")) {
      spec = spec.doBeforeRetry(s -> n.record("before", s.totalRetries())).doAfterRetry(s -> n.record("after", s.totalRetriesInARow()));
    }
    if (n.has("beforeMs")) {
      spec = spec.doBeforeRetryAsync(s -> Mono.delay(n.ms("beforeMs"), run.scheduler).then());
    }
    if (n.has("afterMs")) {
      spec = spec.doAfterRetryAsync(s -> Mono.delay(n.ms("afterMs"), run.scheduler).then());
    }
    return n.has("match") ? spec.filter(n.match()) : spec;
  }

  private RetryBackoffSpec hooked(Node n, RetryBackoffSpec spec) {
    if (n.has("tag")) {
      spec = spec.doBeforeRetry(s -> n.record("before", s.totalRetries())).doAfterRetry(s -> n.record("after", s.totalRetriesInARow()));
    }
    if (n.has("beforeMs")) {
      spec = spec.doBeforeRetryAsync(s -> Mono.delay(n.ms("beforeMs"), run.scheduler).then());
    }
    if (n.has("afterMs")) {
      spec = spec.doAfterRetryAsync(s -> Mono.delay(n.ms("afterMs"), run.scheduler).then());
    }
    return n.has("match") ? spec.filter(n.match()) : spec;
  }

  private Retry retry(Node n) {
    int max = n.integer("max");
    boolean lasting = !n.bool("transient", false);
    switch (n.text("spec")) {
      case "max": {
        return hooked(n, Retry.max(max).transientErrors(!lasting));
      }
      case "maxInARow": {
        return hooked(n, Retry.maxInARow(max));
      }
      case "fixedDelay": {
        return hooked(n, Retry.fixedDelay(max, n.ms("minMs")).transientErrors(!lasting));
      }
      case "backoff": {
        RetryBackoffSpec spec = Retry.backoff(max, n.ms("minMs")).jitter(0).transientErrors(!lasting);
        return hooked(n, n.has("maxMs") ? spec.maxBackoff(n.ms("maxMs")) : spec);
      }
      default:
        return Retry.from(signals -> {
          if (n.text("end").equals("complete")) {
            signals = signals.takeWhile(s -> s.totalRetries() < max);
          }
          return signals.concatMap(s -> s.totalRetries() < max
              ? Mono.delay(n.ms("delayMs"), run.scheduler) : Mono.<Long>error(s.failure()));
        });
    }
  }

  private Publisher<?> companion(Node n, Flux<Long> completions) {
    int[] turn = {0};
    int times = n.integer("times");
    return completions.takeWhile(c -> turn[0]++ < times).concatMap(c -> Mono.delay(n.ms("delayMs"), run.scheduler));
  }

  private Flux<Object> flat(Node n, Flux<Flux<Object>> all) {
    Flux<Flux<Object>> windows = n.has("most") ? all.take(n.integer("most")) : all;
    return switch (n.text("flat")) {
      case "concatMap" -> cast(windows.concatMap(w -> w.collectList()));
      case "flatMap" -> cast(windows.flatMap(w -> w.collectList()));
      case "ops" -> {
        Function<Flux<Object>, Publisher<Object>> fn = w -> apply(w, n.get("ops"), n.in);
        yield switch (n.text("by")) {
          case "concatMap" -> windows.concatMap(fn);
          case "flatMap" -> windows.flatMap(fn);
          case "flatMapSequential" -> windows.flatMapSequential(fn);
          default -> windows.switchMap(w -> fn.apply(w));
        };
      }
      default -> windows.index().flatMap(t -> t.getT2().map(v -> Values.pair(t.getT1(), v)));
    };
  }

  private static ConnectableFlux<Object> publish(Flux<Object> f, Node n) {
    return n.has("prefetch") ? f.publish(n.integer("prefetch")) : f.publish();
  }

  private ConnectableFlux<Object> replay(Flux<Object> f, Node n) {
    if (n.has("history")) {
      return n.has("ms") ? f.replay(n.integer("history"), n.ms("ms"), run.scheduler) : f.replay(n.integer("history"));
    }
    return n.has("ms") ? f.replay(n.ms("ms"), run.scheduler) : f.replay();
  }

  private Flux<Object> connectable(ConnectableFlux<Object> c) {
    run.connect = c::connect;
    return c;
  }

  private Flux<Object> refCount(ConnectableFlux<Object> c, Node n) {
    int min = n.integer("min", 1);
    return n.has("graceMs") ? c.refCount(min, n.ms("graceMs"), run.scheduler) : c.refCount(min);
  }
}
