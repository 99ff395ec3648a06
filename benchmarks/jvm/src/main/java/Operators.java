import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** Each operator by itself, as operators.go and the rows beside it have them. */
final class Operators {
  static final int N = Bench.SINGLES;

  static long run(Flux<Integer> f) {
    CountDownLatch over = new CountDownLatch(1);
    Bench.Sum sum = new Bench.Sum();
    f.subscribe(sum, Bench::fail, over::countDown);
    try {
      over.await();
    } catch (InterruptedException e) {
      Bench.fail(e);
    }
    return sum.value;
  }

  static void add(String name, Supplier<Flux<Integer>> open) {
    Bench.add("O " + name, N, () -> run(open.get()));
  }

  static void behind(String name, UnaryOperator<Flux<Integer>> apply) {
    add(name, () -> apply.apply(Flux.range(0, N)));
  }

  static void mono(String name, Supplier<Mono<Integer>> open) {
    Bench.add("O mono " + name, 1, () -> {
      Bench.Sum sum = new Bench.Sum();
      open.get().subscribe(sum, Bench::fail);
      return sum.value;
    });
  }

  static Mono<Integer> called(int v) {
    return Mono.fromCallable(() -> v);
  }

  static Mono<Integer> mapped(int v) {
    return Mono.just(v).map(w -> w + 1);
  }

  static Flux<Integer> range() {
    return Flux.range(0, N);
  }

  static void define() {
    elementwise();
    many();
    around();
    monos();
  }

  static void elementwise() {
    behind("none", f -> f);
    behind("map", f -> f.map(v -> v + 1));
    behind("filter", f -> f.filter(v -> v % 2 == 0));
    behind("handle", f -> f.handle((v, s) -> s.next(v)));
    behind("mapOptional", f -> f.mapNotNull(v -> v % 2 == 0 ? v : null));
    behind("take", f -> f.take(N));
    behind("takeWhile", f -> f.takeWhile(v -> v >= 0));
    behind("takeUntil", f -> f.takeUntil(v -> v < 0));
    behind("takeLast", f -> f.takeLast(10));
    behind("skip", f -> f.skip(1));
    behind("skipWhile", f -> f.skipWhile(v -> v < 0));
    behind("skipLast", f -> f.skipLast(10));
    behind("scan", f -> f.scan(Math::max));
    behind("scanSeed", f -> f.scan(0, Math::max));
    behind("distinct", f -> f.distinct());
    behind("distinctUntilChanged", f -> f.distinctUntilChanged());
    behind("index", f -> f.index((i, v) -> (int) (long) i));
    behind("doOnNext", f -> f.doOnNext(v -> {}));
    behind("doOnEach", f -> f.doOnEach(s -> {}));
    behind("doOnRequest", f -> f.doOnRequest(n -> {}));
    behind("doOnCancel", f -> f.doOnCancel(() -> {}));
    behind("doOnError", f -> f.doOnError(e -> {}));
    behind("doFinally", f -> f.doFinally(how -> {}));
    behind("tap", f -> f.tap(() -> new reactor.core.observability.DefaultSignalListener<Integer>() {}));
    behind("materialize", f -> f.materialize().dematerialize());
    behind("elapsed", f -> f.elapsed().map(t -> t.getT2()));
    behind("hide", f -> f.hide());
    behind("checkpoint", f -> f.checkpoint("here", false));
    behind("contextWrite", f -> f.contextWrite(c -> c.put("key", 1)));
    behind("count", f -> f.count().map(Long::intValue).flux());
    behind("reduce", f -> f.reduce(Math::max).flux());
    behind("collect", f -> f.collectList().map(List::size).flux());
    behind("collectMap", f -> f.collectMap(v -> v).map(m -> m.size()).flux());
    behind("sort", f -> f.sort((a, b) -> b - a));
    behind("buffer", f -> f.buffer(100).map(b -> b.get(0)));
    behind("buffer overlapping", f -> f.buffer(100, 50).map(b -> b.get(0)));
    behind("bufferUntil", f -> f.bufferUntil(v -> v % 100 == 99).map(b -> b.get(0)));
    behind("bufferTimeout", f -> f.bufferTimeout(100, Duration.ofSeconds(1)).map(b -> b.get(0)));
  }

  static void many() {
    behind("flatMap just", f -> f.flatMap(Flux::just));
    behind("flatMap mono", f -> f.flatMap(Mono::just));
    behind("flatMap mapped", f -> f.flatMap(Operators::mapped));
    behind("flatMap called", f -> f.flatMap(Operators::called));
    behind("flatMap callable", f -> f.flatMap(Operators::called));
    behind("concatMap just", f -> f.concatMap(Flux::just));
    behind("concatMap mapped", f -> f.concatMap(Operators::mapped));
    behind("concatMap called", f -> f.concatMap(Operators::called));
    behind("concatMap callable", f -> f.concatMap(Operators::called));
    behind("switchMap just", f -> f.switchMap(Flux::just));
    behind("switchMap mapped", f -> f.switchMap(Operators::mapped));
    behind("flatMapSequential just", f -> f.flatMapSequential(Flux::just));
    behind("flatMapSequential mapped", f -> f.flatMapSequential(Operators::mapped));
    behind("flatMapSlice", f -> f.flatMapIterable(List::of));
    behind("concatMapSlice", f -> f.concatMapIterable(List::of));
    behind("flatMapSeq", f -> f.flatMap(v -> Flux.fromStream(java.util.stream.Stream.of(v))));
    behind("filterWhen", f -> f.filterWhen(v -> Mono.just(true)));
    behind("delayUntil", f -> f.delayUntil(Mono::just));
    behind("expand", f -> f.expand(v -> Flux.empty()));
    behind("expandDeep", f -> f.expandDeep(v -> Flux.empty()));
    behind("groupBy", f -> f.groupBy(v -> v % 10).flatMap(g -> g));
    behind("window flatMap", f -> f.window(100).flatMap(w -> w));
    behind("window concatMap", f -> f.window(100).concatMap(w -> w));
    behind("windowUntil", f -> f.windowUntil(v -> v % 100 == 99).flatMap(w -> w));
    behind("windowTimeout", f -> f.windowTimeout(100, Duration.ofSeconds(1)).flatMap(w -> w));
    behind("switchOnFirst", f -> f.switchOnFirst((s, g) -> g));
  }

  static void around() {
    behind("startWith", f -> f.startWith(0, 0));
    behind("concatWith", f -> f.concatWithValues(0, 0));
    behind("mergeWith", f -> f.mergeWith(Flux.just(0)));
    behind("zipWith", f -> f.zipWith(range(), (a, b) -> a + b));
    behind("zipWith mapped", f -> f.map(v -> v + 1).zipWith(range().map(v -> v + 1), (a, b) -> a + b));
    behind("combineLatest", f -> Flux.combineLatest(Flux.just(0), f, (a, b) -> a + b));
    behind("withLatestFrom", f -> f.withLatestFrom(Flux.just(0), (a, b) -> a));
    behind("mergeSequential", f -> Flux.mergeSequential(f, Flux.just(0)));
    behind("mergeComparing", f -> Flux.mergeComparing(Integer::compare, f, range()));
    behind("retry", f -> f.retry());
    behind("retryWhen", f -> f.retryWhen(Retry.backoff(3, Duration.ofSeconds(1))));
    behind("repeat", f -> f.repeat(1));
    behind("onErrorResume", f -> f.onErrorResume(e -> Flux.empty()));
    behind("onErrorReturn", f -> f.onErrorReturn(1));
    behind("onErrorMap", f -> f.onErrorMap(e -> e));
    behind("onErrorContinue", f -> f.map(v -> v + 1).onErrorContinue((e, v) -> {}));
    behind("switchIfEmpty", f -> f.switchIfEmpty(Flux.just(1)));
    behind("defaultIfEmpty", f -> f.defaultIfEmpty(1));
    behind("timeout", f -> f.timeout(Duration.ofSeconds(1)));
    behind("takeFor", f -> f.take(Duration.ofHours(1)));
    behind("takeUntilOther", f -> f.takeUntilOther(Flux.never()));
    behind("skipUntilOther", f -> f.skipUntilOther(Flux.just(1)));
    behind("firstWithSignal", f -> f.or(Flux.never()));
    behind("limitRate", f -> f.limitRate(100));
    behind("onBackpressureBuffer", f -> f.onBackpressureBuffer());
    behind("onBackpressureDrop", f -> f.onBackpressureDrop());
    behind("onBackpressureLatest", f -> f.onBackpressureLatest());
    behind("share", f -> f.share());
    behind("replay", f -> f.replay(10).refCount(1));
    behind("cache", f -> f.cache(10));
    behind("publish", f -> f.publish(s -> s.map(v -> v + 1)));
    behind("using", f -> Flux.using(() -> 1, r -> f, r -> {}));
    behind("defer", f -> Flux.defer(() -> f));
    behind("cancelOn", f -> f.cancelOn(Schedulers.parallel()));
    behind("publishOn", f -> f.publishOn(Schedulers.parallel()));
    behind("publishOn mapped", f -> f.map(v -> v + 1).publishOn(Schedulers.parallel()).map(v -> v + 1));
    behind("subscribeOn", f -> f.subscribeOn(Schedulers.parallel()));
    behind("parallel", f -> f.parallel(2).runOn(Schedulers.parallel()).map(v -> v + 1).sequential());
    add("fromSlice", () -> Flux.fromIterable(upTo()));
    add("generate", () -> Flux.generate(() -> 0, (i, s) -> {
      if (i == N) {
        s.complete();
      } else {
        s.next(i);
      }
      return i + 1;
    }));
    add("create", () -> Flux.create(s -> emitAll(s)));
    add("push", () -> Flux.push(s -> emitAll(s)));
  }

  static List<Integer> upTo() {
    List<Integer> list = new ArrayList<>(N);
    for (int i = 0; i < N; i++) {
      list.add(i);
    }
    return list;
  }

  static void emitAll(reactor.core.publisher.FluxSink<Integer> s) {
    for (int i = 0; i < N; i++) {
      s.next(i);
    }
    s.complete();
  }

  static Mono<Integer> asked() {
    return Mono.fromCallable(() -> 6);
  }

  static final RuntimeException SOME = new RuntimeException("some error");

  static void monos() {
    mono("just", () -> Mono.just(6));
    mono("fromFunc", () -> asked());
    mono("map", () -> Mono.just(6).map(v -> v + 1));
    mono("map called", () -> asked().map(v -> v + 1));
    mono("filter", () -> asked().filter(v -> v % 2 == 0));
    mono("handle", () -> asked().handle((v, s) -> s.next(v)));
    mono("flatMap", () -> asked().flatMap(v -> called(v + 1)));
    mono("flatMapMany", () -> asked().flatMapMany(v -> Flux.range(0, v)).last());
    mono("zip", () -> Mono.zip(asked(), asked(), (a, b) -> a + b));
    mono("zipWhen", () -> asked().zipWhen(Operators::called, (a, b) -> a + b));
    mono("thenMono", () -> asked().then(asked()));
    mono("thenReturn", () -> asked().thenReturn(1));
    mono("delayUntil", () -> asked().delayUntil(Operators::called));
    mono("filterWhen", () -> asked().filterWhen(v -> Mono.just(true)));
    mono("switchIfEmpty", () -> asked().switchIfEmpty(Mono.just(6)));
    mono("switchIfEmpty empty", () -> Mono.<Integer>empty().hide().switchIfEmpty(asked()));
    mono("defaultIfEmpty", () -> asked().defaultIfEmpty(1));
    mono("onErrorResume", () -> asked().onErrorResume(e -> Mono.just(6)));
    mono("onErrorReturn", () -> asked().onErrorReturn(1));
    mono("onErrorReturn error", () -> Mono.<Integer>error(SOME).hide().onErrorReturn(1));
    mono("retry", () -> asked().retry(3));
    mono("retryWhen", () -> asked().retryWhen(Retry.backoff(3, Duration.ofSeconds(1))));
    mono("timeout", () -> asked().timeout(Duration.ofSeconds(1)));
    mono("doOnNext", () -> asked().doOnNext(v -> {}));
    mono("doOnSuccess", () -> asked().doOnSuccess(v -> {}));
    mono("doFinally", () -> asked().doFinally(how -> {}));
    mono("contextWrite", () -> asked().contextWrite(c -> c.put("key", 1)));
    mono("defer", () -> Mono.defer(() -> asked()));
    mono("using", () -> Mono.using(() -> 6, Operators::called, r -> {}));
    mono("create", () -> Mono.create(s -> s.success(6)));
    mono("cache", () -> asked().cache());
    mono("next", () -> Flux.range(0, 10).next());
    mono("collect", () -> Flux.range(0, 10).collectList().map(List::size));
    mono("service", () -> asked().flatMap(v -> called(v + 1)).timeout(Duration.ofSeconds(1))
        .retry(3).onErrorReturn(0).doFinally(how -> {}));
  }

  private Operators() {}
}
