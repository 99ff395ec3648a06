import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The workloads of this folder's parent on Project Reactor, and those of pools on the executors
 * of the JDK, whose ids end in a slash and a name. The first line written is the
 * version and the ids; then each line read, "id TAB milliseconds", is answered by
 * "result wall cpu total": nanoseconds for each element, and the processor time of all of it. A
 * workload that takes its figure itself has the result 0, and the figure instead of the wall.
 */
public final class Bench {
  static final int SIZE = 1_000_000, INNER = 1_000, SINGLES = 100_000, SLEEPERS = 2_000, AWAKE = 256;
  static final int KEYS = 100, SOURCES = 4, AUDIENCE = 8, TASKS = 100_000, SLEEP_TASKS = 10_000;
  static final int EMITTED = SIZE / AUDIENCE;

  static final int DELAYED_TASKS = 1_000_000;

  record User(int id) {
    User verified() {
      return this;
    }

    User saved() {
      return this;
    }
  }

  record Workload(int elements, LongSupplier run, DoubleSupplier figure) {}

  static final Map<String, Workload> ALL = new LinkedHashMap<>();

  static void add(String id, int elements, LongSupplier run) {
    ALL.put(id, new Workload(elements, run, null));
  }

  static void add(String id, DoubleSupplier figure) {
    ALL.put(id, new Workload(1, null, figure));
  }

  static final class Sum implements Consumer<Integer> {
    long value;

    public void accept(Integer v) {
      value += v;
    }
  }

  static long sum(Flux<Integer> f) {
    Sum sum = new Sum();
    f.doOnNext(sum).blockLast();
    return sum.value;
  }

  static long sumHere(Flux<Integer> f) {
    Sum sum = new Sum();
    f.subscribe(sum, Bench::fail);
    return sum.value;
  }

  static void fail(Throwable t) {
    throw new IllegalStateException(t);
  }

  static long maps(int n) {
    Flux<Integer> f = Flux.range(0, SIZE);
    for (int i = 0; i < n; i++) {
      f = f.map(v -> v + 1);
    }
    return sumHere(f);
  }

  static Flux<Integer> merge(UnaryOperator<Flux<Integer>> each) {
    List<Flux<Integer>> parts = new ArrayList<>();
    for (int i = 0; i < SOURCES; i++) {
      parts.add(each.apply(Flux.range(i * (SIZE / SOURCES), SIZE / SOURCES)));
    }
    return Flux.merge(parts);
  }

  static long audience(Flux<Integer> f, Runnable emit) {
    Sum[] sums = new Sum[AUDIENCE];
    for (int i = 0; i < AUDIENCE; i++) {
      sums[i] = new Sum();
      f.subscribe(sums[i], Bench::fail);
    }
    emit.run();
    long total = 0;
    for (Sum s : sums) {
      total += s.value;
    }
    return total;
  }

  static long hot(Sinks.Many<Integer> sink) {
    return audience(sink.asFlux(), () -> {
      for (int v = 0; v < EMITTED; v++) {
        sink.tryEmitNext(v).orThrow();
      }
      sink.tryEmitComplete().orThrow();
    });
  }

  /** Submits empty tasks from a number of threads and waits until they have run. */
  static long submit(Function<Runnable, Object> to, int producers) {
    CountDownLatch done = new CountDownLatch(TASKS);
    Runnable task = done::countDown;
    try {
      if (producers == 1) {
        for (int i = 0; i < TASKS; i++) {
          to.apply(task);
        }
      } else {
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
          Thread t = new Thread(() -> IntStream.range(0, TASKS / producers).forEach(i -> to.apply(task)));
          t.start();
          threads.add(t);
        }
        for (Thread t : threads) {
          t.join();
        }
      }
      done.await();
    } catch (InterruptedException e) {
      fail(e);
    }
    return TASKS;
  }

  static void sleep() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      fail(e);
    }
  }

  static Flux<Integer> mapFilter() {
    return Flux.range(0, SIZE).map(v -> v + 1).filter(v -> v % 2 == 0);
  }

  static long casts(int n) {
    Flux<Long> f = Flux.range(0, SIZE).map(v -> v + 1L);
    for (int i = 0; i < n / 2; i++) {
      f = f.map(v -> (int) (v + 1)).map(v -> v + 1L);
    }
    long[] sum = new long[1];
    f.subscribe(v -> sum[0] += v, Bench::fail);
    return sum[0];
  }

  /** The time from a submission until the task runs, of a submitter that waits or computes. */
  static double latency(Function<Runnable, Object> to, long pause, boolean busy, int percentile) {
    int samples = pause > 0 || busy ? 300 : 20_000;
    AtomicLong at = new AtomicLong();
    Semaphore ran = new Semaphore(0);
    long[] took = new long[samples];
    try {
      for (int i = 0; i < samples; i++) {
        at.set(0);
        if (pause > 0) {
          Thread.sleep(pause);
        }
        long from = System.nanoTime();
        to.apply(() -> {
          at.set(System.nanoTime());
          if (!busy) {
            ran.release();
          }
        });
        if (busy) {
          while (at.get() == 0) {
            Thread.onSpinWait();
          }
        } else {
          ran.acquire();
        }
        took[i] = at.get() - from;
      }
    } catch (InterruptedException e) {
      fail(e);
    }
    Arrays.sort(took);
    return took[samples * percentile / 100];
  }

  static void addLatencies(String name, Function<Runnable, Object> parallel, Function<Runnable, Object> worker,
      Function<Runnable, Object> elastic) {
    add("S2a" + name, () -> latency(worker, 0, false, 50));
    add("S2a p99" + name, () -> latency(worker, 0, false, 99));
    add("S2b" + name, () -> latency(worker, 1, false, 50));
    add("S2b p99" + name, () -> latency(worker, 1, false, 99));
    add("S2b parallel" + name, () -> latency(parallel, 1, false, 50));
    add("S2b elastic" + name, () -> latency(elastic, 1, false, 50));
    add("S2c" + name, () -> latency(worker, 0, true, 50));
  }

  /** A way to delay tasks, and what was measured of it last: each figure is asked for once. */
  static final class Delayed {
    final BiFunction<Runnable, Long, Object> after; // nanoseconds
    final Consumer<Object> cancel;
    final Map<String, Double> figures = new HashMap<>();

    Delayed(BiFunction<Runnable, Long, Object> after, Consumer<Object> cancel) {
      this.after = after;
      this.cancel = cancel;
    }

    double figure(String name) {
      if (!figures.containsKey(name)) {
        measure();
      }
      return figures.remove(name);
    }

    void measure() {
      Random random = new Random(1);
      long[] delays = random.longs(DELAYED_TASKS, 3_600_000_000_000L, 7_200_000_000_000L).toArray();
      Object[] handles = new Object[DELAYED_TASKS];
      Runnable nothing = () -> {};
      long before = used(), begin = System.nanoTime();
      for (int i = 0; i < DELAYED_TASKS; i++) {
        handles[i] = after.apply(nothing, delays[i]);
      }
      figures.put("S3a schedule", (double) (System.nanoTime() - begin) / DELAYED_TASKS);
      figures.put("S3a bytes", (double) (used() - before) / DELAYED_TASKS);
      begin = System.nanoTime();
      for (Object handle : handles) {
        cancel.accept(handle);
      }
      figures.put("S3a cancel", (double) (System.nanoTime() - begin) / DELAYED_TASKS);
      Arrays.fill(handles, null);
      int firing = DELAYED_TASKS / 10;
      long[] late = new long[firing];
      AtomicInteger at = new AtomicInteger();
      CountDownLatch fired = new CountDownLatch(firing);
      for (int i = 0; i < firing; i++) {
        long delay = random.nextLong(1_000_000_000L, 2_000_000_000L), due = System.nanoTime() + delay;
        after.apply(() -> {
          late[at.getAndIncrement()] = System.nanoTime() - due;
          fired.countDown();
        }, delay);
      }
      try {
        fired.await();
      } catch (InterruptedException e) {
        fail(e);
      }
      Arrays.sort(late);
      figures.put("S3b", (double) late[firing / 2]);
      figures.put("S3b p99", (double) late[firing * 99 / 100]);
    }

    void addAs(String name) {
      for (String id : List.of("S3a schedule", "S3a cancel", "S3a bytes", "S3b", "S3b p99")) {
        add(id + name, () -> figure(id));
      }
    }
  }

  /** The heap in use after the collector has run. */
  static long used() {
    System.gc();
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  static double idle() {
    int many = 100_000;
    Flux<Integer> f = Flux.<Integer>never().map(v -> v + 1).filter(v -> v % 2 == 0).map(v -> 2 * v);
    Disposable[] ends = new Disposable[many];
    long before = used();
    for (int i = 0; i < many; i++) {
      ends[i] = f.subscribe(v -> {});
    }
    double held = (double) (used() - before) / many;
    for (Disposable end : ends) {
      end.dispose();
    }
    return held;
  }

  static long sleepOn(Function<Runnable, Object> to) {
    CountDownLatch done = new CountDownLatch(SLEEP_TASKS);
    for (int i = 0; i < SLEEP_TASKS; i++) {
      to.apply(() -> {
        sleep();
        done.countDown();
      });
    }
    try {
      done.await();
    } catch (InterruptedException e) {
      fail(e);
    }
    return SLEEP_TASKS;
  }

  static ThreadFactory daemons = task -> {
    Thread t = new Thread(task);
    t.setDaemon(true);
    return t;
  };

  static Function<Runnable, Object> threads(int n) {
    ExecutorService pool = Executors.newFixedThreadPool(n, daemons);
    return task -> {
      pool.execute(task);
      return null;
    };
  }

  static void defineExecutors() {
    ForkJoinPool fork = new ForkJoinPool(2);
    Function<Runnable, Object> forked = task -> {
      fork.execute(task);
      return null;
    };
    Function<Runnable, Object> two = threads(2), twenty = threads(20), many = threads(200);
    ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(2, daemons);
    timers.setRemoveOnCancelPolicy(true);
    Function<Runnable, Object> timed = task -> {
      timers.execute(task);
      return null;
    };
    Map.of("/ForkJoinPool", forked, "/ThreadPoolExecutor", two, "/ScheduledThreadPoolExecutor", timed).forEach((name, to) -> {
      add("S1a" + name, TASKS, () -> submit(to, 1));
      add("S1b" + name, TASKS, () -> submit(to, 8));
    });
    add("S1c/ThreadPoolExecutor", TASKS, () -> submit(twenty, 1));
    addLatencies("/ForkJoinPool", forked, forked, forked);
    addLatencies("/ThreadPoolExecutor", two, two, twenty);
    add("S4/ThreadPoolExecutor", 1, () -> sleepOn(many));
    new Delayed((task, after) -> timers.schedule(task, after, TimeUnit.NANOSECONDS), handle -> ((Future<?>) handle).cancel(false))
        .addAs("/ScheduledThreadPoolExecutor");
  }

  static void define() {
    add("P1", SIZE, () -> sumHere(mapFilter()));
    add("P1c ForEach", SIZE, () -> sum(mapFilter()));
    add("P1c Block", SIZE, () -> Flux.range(0, SIZE).map(v -> v + 1L).filter(v -> v % 2 == 0).reduce((a, b) -> a + b).block());
    add("P1c SubscribeFunc", SIZE, () -> sumHere(mapFilter()));
    add("P1c Fold", SIZE, () -> mapFilter().reduce(0L, (a, b) -> a + b).block());
    add("P1c All", SIZE, () -> {
      long sum = 0;
      for (int v : mapFilter().toIterable()) {
        sum += v;
      }
      return sum;
    });
    add("P1c Take", SIZE, () -> sum(Flux.range(0, 2 * SIZE).map(v -> v + 1).filter(v -> v % 2 == 0).take(SIZE / 2)));
    add("P1c guarded", SIZE, () -> sum(mapFilter().retry(3).onErrorReturn(0).doFinally(how -> { })));
    add("P2 (1, other type)", SIZE, () -> casts(1));
    add("P2 (9, other type)", SIZE, () -> casts(9));
    add("P2 (1)", SIZE, () -> maps(1));
    add("P2 (9)", SIZE, () -> maps(9));
    add("P3", SIZE, () -> sum(Flux.range(0, SIZE).publishOn(Schedulers.parallel())));
    add("P3b", SIZE, () -> sum(Flux.range(0, SIZE).subscribeOn(Schedulers.parallel()).publishOn(Schedulers.parallel())));
    add("P7", 1, () -> Mono.just(6).map(v -> v + 1).flatMap(v -> Mono.just(2 * v)).block());
    User someone = new User(14);
    add("P7 user", 1, () -> Mono.just(someone).map(User::verified).flatMap(u -> Mono.just(u.saved())).block().id());
    add("P7 load", 1, () -> Mono.fromCallable(() -> someone).map(User::verified).flatMap(u -> Mono.fromCallable(u::saved)).block().id());
    add("P4a", INNER * INNER, () -> sumHere(Flux.range(0, INNER).flatMap(i -> Flux.range(i, INNER))));
    add("P4b just", SINGLES, () -> sumHere(Flux.range(0, SINGLES).flatMap(Flux::just)));
    add("P4b mono", SINGLES, () -> sumHere(Flux.range(0, SINGLES).flatMap(Mono::just)));
    add("P4b general", SINGLES, () -> sumHere(Flux.range(0, SINGLES).flatMap(i -> Flux.just(i).hide())));
    add("P4b load", SINGLES, () -> sumHere(Flux.range(0, SINGLES).flatMap(i -> Mono.fromCallable(() -> i).map(v -> v + 1))));
    add("P4c load", SINGLES, () -> sumHere(Flux.range(0, SINGLES).concatMap(i -> Mono.fromCallable(() -> i).map(v -> v + 1))));
    add("P4c", INNER * INNER, () -> sumHere(Flux.range(0, INNER).concatMap(i -> Flux.range(i, INNER))));
    Scheduler awake = Schedulers.newBoundedElastic(AWAKE, SIZE, "awake", 60, true);
    add("P5", 1, () -> sum(Flux.range(0, SLEEPERS).flatMap(v -> Mono.fromCallable(() -> {
      sleep();
      return v;
    }).subscribeOn(awake), AWAKE)));
    add("P8", SIZE, () -> {
      AtomicLong total = new AtomicLong();
      Flux.range(0, SIZE).groupBy(v -> v % KEYS).flatMap(g -> g.count(), KEYS).subscribe(total::addAndGet, Bench::fail);
      return total.get();
    });
    add("P6a", SIZE, () -> sumHere(Flux.zip(Flux.range(0, SIZE), Flux.range(0, SIZE), (a, b) -> a + b)));
    add("P6b parallel", SIZE, () -> sum(merge(f -> f.subscribeOn(Schedulers.parallel()))));
    add("P6b elastic", SIZE, () -> sum(merge(f -> f.subscribeOn(Schedulers.boundedElastic()))));
    add("P6b hidden", SIZE, () -> sum(merge(f -> f.hide().subscribeOn(Schedulers.parallel()))));
    add("P6c", SIZE, () -> {
      List<Flux<Integer>> parts = new ArrayList<>();
      for (int i = 0; i < SOURCES; i++) {
        parts.add(Flux.range(i * (SIZE / SOURCES), SIZE / SOURCES));
      }
      return sumHere(Flux.concat(parts));
    });
    add("P9 direct", EMITTED * AUDIENCE, () -> hot(Sinks.many().multicast().directAllOrNothing()));
    add("P9 buffer", EMITTED * AUDIENCE, () -> hot(Sinks.many().multicast().onBackpressureBuffer(256, false)));
    add("P9 publish", EMITTED * AUDIENCE, () -> audience(Flux.range(0, EMITTED).publish().autoConnect(AUDIENCE), () -> {}));
    Scheduler two = Schedulers.newParallel("two", 2, true);
    Scheduler.Worker worker = two.createWorker();
    add("S1a", TASKS, () -> submit(two::schedule, 1));
    add("S1a worker", TASKS, () -> submit(worker::schedule, 1));
    add("S1b", TASKS, () -> submit(two::schedule, 8));
    add("S1b worker", TASKS, () -> submit(worker::schedule, 8));
    Scheduler elastic = Schedulers.newBoundedElastic(20, 10 * TASKS, "elastic", 60, true);
    Scheduler.Worker elasticWorker = elastic.createWorker();
    add("S1c", TASKS, () -> submit(elastic::schedule, 1));
    add("S1c worker", TASKS, () -> submit(elasticWorker::schedule, 1));
    Scheduler many = Schedulers.newBoundedElastic(200, 10 * TASKS, "many", 60, true);
    add("S4", 1, () -> sleepOn(many::schedule));
    addLatencies("", two::schedule, worker::schedule, elastic::schedule);
    new Delayed((task, after) -> two.schedule(task, after, TimeUnit.NANOSECONDS), handle -> ((Disposable) handle).dispose())
        .addAs("");
    add("M1", Bench::idle);
    add("M1 goroutines", () -> 0); // what waits has no thread
  }

  static long processorTime() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  /** Runs a workload for as long as asked and returns the answer. */
  static String measure(Workload w, long milliseconds) {
    long before = processorTime();
    if (w.figure != null) {
      double figure = w.figure.getAsDouble();
      return String.format(java.util.Locale.ROOT, "0 %.4f 0 %d", figure, processorTime() - before);
    }
    long runs = 1;
    while (true) {
      long result = 0, cpu = processorTime(), begin = System.nanoTime();
      for (long i = 0; i < runs; i++) {
        result = w.run.getAsLong();
      }
      long took = System.nanoTime() - begin, used = processorTime() - cpu;
      if (took >= milliseconds * 1_000_000) {
        double per = (double) runs * w.elements;
        return String.format(java.util.Locale.ROOT, "%d %.4f %.4f %d", result, took / per, used / per, processorTime() - before);
      }
      runs = Math.max(runs + 1, Math.min(runs * 100, (long) (1.2 * milliseconds * 1e6 / Math.max(1, took) * runs)));
    }
  }

  public static void main(String[] args) throws Exception {
    define();
    defineExecutors();
    Operators.define();
    String reactor = Flux.class.getPackage().getImplementationVersion();
    System.out.println("reactor-core " + (reactor == null ? "3.8.0" : reactor) + " on JDK " + Runtime.version() + "\t" + String.join("\t", ALL.keySet()));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      String[] ask = line.split("\t");
      System.out.println(measure(ALL.get(ask[0]), Long.parseLong(ask[1])));
    }
    System.exit(0);
  }

  private Bench() {}
}
