import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The workloads of this folder's parent on Project Reactor. The first line written is the
 * version and the ids; then each line read, "id TAB milliseconds", is answered by
 * "result wall cpu total": nanoseconds for each element, and the processor time of all of it.
 */
public final class Bench {
  static final int SIZE = 1_000_000, INNER = 1_000, SINGLES = 100_000, SLEEPERS = 2_000, AWAKE = 256;
  static final int KEYS = 100, SOURCES = 4, AUDIENCE = 8, TASKS = 100_000, SLEEP_TASKS = 10_000;
  static final int EMITTED = SIZE / AUDIENCE;

  record Workload(int elements, LongSupplier run) {}

  static final Map<String, Workload> ALL = new LinkedHashMap<>();

  static void add(String id, int elements, LongSupplier run) {
    ALL.put(id, new Workload(elements, run));
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

  static void define() {
    add("P1", SIZE, () -> sumHere(Flux.range(0, SIZE).map(v -> v + 1).filter(v -> v % 2 == 0)));
    add("P2 (1)", SIZE, () -> maps(1));
    add("P2 (9)", SIZE, () -> maps(9));
    add("P3", SIZE, () -> sum(Flux.range(0, SIZE).publishOn(Schedulers.parallel())));
    add("P3b", SIZE, () -> sum(Flux.range(0, SIZE).subscribeOn(Schedulers.parallel()).publishOn(Schedulers.parallel())));
    add("P7", 1, () -> Mono.just(6).map(v -> v + 1).flatMap(v -> Mono.just(2 * v)).block());
    add("P4a", INNER * INNER, () -> sumHere(Flux.range(0, INNER).flatMap(i -> Flux.range(i, INNER))));
    add("P4b just", SINGLES, () -> sumHere(Flux.range(0, SINGLES).flatMap(Flux::just)));
    add("P4b mono", SINGLES, () -> sumHere(Flux.range(0, SINGLES).flatMap(Mono::just)));
    add("P4b general", SINGLES, () -> sumHere(Flux.range(0, SINGLES).flatMap(i -> Flux.just(i).hide())));
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
    Scheduler elastic = Schedulers.newBoundedElastic(20, 10 * TASKS, "elastic", 60, true);
    Scheduler.Worker elasticWorker = elastic.createWorker();
    add("S1c", TASKS, () -> submit(elastic::schedule, 1));
    add("S1c worker", TASKS, () -> submit(elasticWorker::schedule, 1));
    Scheduler many = Schedulers.newBoundedElastic(200, 10 * TASKS, "many", 60, true);
    add("S4", 1, () -> {
      CountDownLatch done = new CountDownLatch(SLEEP_TASKS);
      for (int i = 0; i < SLEEP_TASKS; i++) {
        many.schedule(() -> {
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
    });
  }

  static long processorTime() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  /** Runs a workload for as long as asked and returns the answer. */
  static String measure(Workload w, long milliseconds) {
    long before = processorTime();
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
