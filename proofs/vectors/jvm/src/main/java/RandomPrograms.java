import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/**
 * Makes vectors without expectations: random programs, each with a random run. Every source and every operator
 * is as likely as any other, and so is every combination of two that fit.
 */
final class RandomPrograms {
  private static final int UNTIL = 150;
  private static final int DEPTH = 2; // of programs within programs

  private static final List<String> FLUX_SOURCES = List.of("just", "range", "empty", "never", "error", "fromIterable", "fromStream", "interval", "timed",
      "timed", "timed", "timed", "generate", "createOnRequest", "createOnRequest", "errorOnRequest", "throwing", "rogue",
      "mergeAll", "mergeSequentialAll", "defer", "concat", "concatDelayError", "merge", "mergeDelayError", "mergeSequential",
      "mergePriority", "mergeComparing", "zip", "combineLatest", "firstWithSignal", "firstWithValue", "switchOnNext", "using", "usingWhen");
  private static final List<String> MONO_SOURCES = List.of("monoJust", "monoEmpty", "monoNever", "monoError", "monoDelay", "monoTimed",
      "monoTimed", "monoTimed", "monoCallable", "monoRunnable", "monoDefer", "monoZip", "monoWhen", "monoFirstWithSignal",
      "monoFirstWithValue", "monoSequenceEqual", "monoFrom", "monoThrowing",
      "monoIgnoreElements", "monoUsing", "monoUsingWhen");
  private static final List<String> ARG_FLUXES = List.of("argRange", "argModRange", "argInterval", "argChildren");
  private static final List<String> ARG_MONOS = List.of("arg", "argDelay", "argFailIf", "argEmptyIf", "argThrowIf");

  private static final List<String> FLUX_OPS = List.of("map", "mapNotNull", "handle", "hide", "scan", "scanWithSeed", "index",
      "materialize", "dematerialize", "flatMapIterable", "concatMapIterable", "concatMap", "concatMapDelayError", "flatMap",
      "flatMapDelayError", "flatMapSequential", "flatMapSequentialDelayError", "flatMapSignal", "switchMap", "switchOnFirst", "expand",
      "expandDeep", "addCtx", "contextWrite", "reduce", "reduceWithSeed", "collectList", "collectSortedList", "collectMap",
      "collectMultimap", "count", "all", "any", "hasElements", "hasElement", "elementAt", "last", "next", "single", "singleOrEmpty",
      "ignoreElements", "then", "thenMono", "thenEmpty", "thenMany", "filter", "filterWhen", "take", "takeDuration",
      "takeLast", "takeWhile", "takeUntil", "takeUntilOther", "skip", "skipDuration", "skipLast", "skipWhile", "skipUntil",
      "skipUntilOther", "distinct", "distinctUntilChanged", "sort", "defaultIfEmpty", "switchIfEmpty", "concatWith", "startWith",
      "mergeWith", "mergeComparingWith", "or", "concatWithValues", "startWithValues", "zipWith", "zipWithIterable", "withLatestFrom",
      "join", "delayElements", "delaySequence", "delaySubscription", "delayUntil", "sample", "sampleFirst", "sampleTimeout", "timeout",
      "timeoutPub", "timestamp", "elapsed", "retry", "retryWhen", "repeat", "repeatWhen", "onErrorReturn", "onErrorResume",
      "onErrorComplete", "onErrorMap", "onErrorContinue", "onErrorStop", "doFirst", "doOnSubscribe", "doOnRequest", "doOnNext",
      "doOnComplete", "doOnError", "doOnTerminate", "doAfterTerminate", "doOnCancel", "doFinally", "doOnEach", "doOnDiscard", "limitRate",
      "onBackpressureBuffer", "onBackpressureDrop", "onBackpressureLatest", "onBackpressureError", "publishOn", "subscribeOn", "cancelOn",
      "parallel", "buffer", "bufferDuration", "bufferOther", "bufferWhen", "bufferTimeout", "bufferUntil", "bufferUntilChanged",
      "bufferWhile", "window", "windowDuration", "windowOther", "windowWhen", "windowTimeout", "windowUntil", "windowUntilChanged",
      "windowWhile", "groupBy", "publishSelector", "groupJoin", "rails", "rails", "collect", "distinctStore", "ofType", "checkpoint",
      "tap", "poke", "poke", "share", "publishRefCount", "publishAutoConnect", "replayRefCount", "replayAutoConnect", "fluxCache");
  private static final List<String> TO_MONO = List.of("reduce", "reduceWithSeed", "collectList", "collectSortedList", "collectMap",
      "collectMultimap", "count", "all", "any", "hasElements", "hasElement", "elementAt", "last", "next", "single", "singleOrEmpty",
      "ignoreElements", "then", "thenMono", "thenEmpty", "shareNext", "collect");
  private static final List<String> MONO_OPS = List.of("map", "mapNotNull", "handle", "hide", "filter", "filterWhen", "defaultIfEmpty",
      "switchIfEmpty", "materialize", "dematerialize", "timestamp", "elapsed", "addCtx", "contextWrite", "then", "thenMono", "thenEmpty",
      "thenMany", "thenReturn", "delaySubscription", "delayUntil", "delayElement", "takeDuration", "takeUntilOther", "timeout",
      "timeoutPub", "retry", "retryWhen", "repeat", "repeatWhen", "repeatWhenEmpty", "onErrorReturn", "onErrorResume", "onErrorComplete",
      "onErrorMap", "onErrorContinue", "onErrorStop", "doFirst", "doOnSubscribe", "doOnRequest", "doOnNext", "doOnSuccess", "doOnError",
      "doOnTerminate", "doAfterTerminate", "doOnCancel", "doFinally", "doOnEach", "doOnDiscard", "publishOn", "subscribeOn", "cancelOn",
      "expand", "expandDeep", "concatWith", "mergeWith", "flatMap", "flatMapMany", "flatMapManySignal", "flatMapIterable", "zipWith",
      "zipWhen", "and", "or", "ignoreElement", "hasElement", "single", "singleOptional", "flux", "cache", "cacheInvalidateIf",
      "cacheInvalidateWhen", "cacheFor", "share", "publishSelector", "checkpoint", "tap", "poke");
  private static final List<String> TO_FLUX =
      List.of("thenMany", "repeat", "repeatWhen", "expand", "expandDeep", "concatWith", "mergeWith", "flatMapMany", "flatMapManySignal",
          "flatMapIterable", "flux");
  private static final List<String> SHARING = List.of("share", "publishRefCount", "publishAutoConnect", "replayRefCount",
      "replayAutoConnect", "cache", "publish", "replay");
  /** Operators of a part that neither fail nor cancel what they have: a rail that ends alone is in decision 0010. */
  private static final List<String> CALM = List.of("scan", "index", "hide", "takeLast", "skip", "sort", "defaultIfEmpty", "concatWithValues",
      "startWithValues", "limitRate", "publishOn", "buffer", "bufferTimeout", "delayElements", "collectList", "count", "filter", "timestamp");
  private static final List<String> SINKS = List.of("unicastBuffer", "unicastError", "multicastUpstream", "multicastBuffer",
      "multicastBestEffort", "multicastAllOrNothing", "replayAll", "replayLatest", "replayLatestOrDefault", "replayLimit", "one", "empty");

  /** Those that keep what is emitted within an element for later: for the others see decision 0010. */
  private static final List<String> EMITTING = List.of("unicastBuffer", "multicastBuffer", "replayAll", "replayLatest",
      "replayLatestOrDefault", "replayLimit", "one");

  private final Random random;
  private int tag;
  private boolean mono; // what the last source or operator has made
  private boolean shared; // there is an x for programs within
  private boolean sharedMono; // which is a mono
  private boolean emitting; // into a sink that keeps what is emitted within an element

  RandomPrograms(long seed) {
    random = new Random(seed);
  }

  /** Returns the next vector. */
  ObjectNode next(String id) {
    tag = 0;
    shared = false;
    emitting = false;
    ObjectNode v = Values.JSON.objectNode().put("id", id);
    int length = 1 + Math.min(below(6), below(6));
    switch (below(10)) {
      case 0 -> {
        v.put("class", "random/shared");
        ObjectNode p = program(0, false, length - 1);
        if (mono) {
          p.withArray("ops").add(op("flux", 0));
        }
        ObjectNode last = sharing();
        p.withArray("ops").add(last);
        v.set("program", p);
        ObjectNode run = v.putObject("run");
        if (chance(4)) {
          run.put("bare", true);
        }
        subscribers(run, last.get("op").asText());
      }
      case 1 -> {
        v.put("class", "random/sink");
        sink(v, length - 1);
      }
      default -> {
        v.put("class", "random/" + length);
        v.set("program", program(0, chance(4), length));
        ObjectNode run = v.putObject("run");
        if (chance(4)) {
          run.put("bare", true);
        }
        if (chance(6)) {
          subscribers(run, "");
          return v;
        }
        run.set("demand", demand(0));
        cancel(run, 0);
        reactions(run);
        if (chance(10)) {
          act(run);
        }
        run.put("until", UNTIL);
      }
    }
    return v;
  }

  private int below(int n) {
    return random.nextInt(n);
  }

  private boolean chance(int outOf) {
    return below(outOf) == 0;
  }

  private <T> T pick(List<T> list) {
    return list.get(below(list.size()));
  }

  private int ms() {
    return pick(List.of(0, 1, 2, 3, 5, 5, 7, 10, 10, 15, 20, 30));
  }

  private int period() {
    return pick(List.of(1, 2, 3, 5, 5, 10, 10, 15, 20));
  }

  private int prefetch() {
    return pick(List.of(1, 1, 2, 3, 4, 8, 32, Integer.MAX_VALUE));
  }

  private int concurrency() {
    return chance(8) ? Integer.MAX_VALUE : 1 + below(4);
  }

  private JsonNode demand(int from) {
    if (below(5) < 2) {
      return Values.JSON.textNode("unbounded");
    }
    ArrayNode list = Values.JSON.arrayNode();
    if (chance(20)) {
      return list;
    }
    int t = from + (chance(4) ? ms() : 0);
    for (int i = 1 + below(6); i > 0; i--) {
      ArrayNode entry = list.addArray().add(t);
      if (i == 1 && chance(2)) {
        entry.add("unbounded");
      } else {
        entry.add(1 + below(3));
      }
      t += ms();
    }
    return list;
  }

  private void cancel(ObjectNode run, int from) {
    if (chance(4)) {
      run.put("cancelAt", from + ms() + (chance(2) ? ms() : 0));
    } else {
      run.putNull("cancelAt");
    }
  }

  /** What elements make a subscriber do. */
  private void reactions(ObjectNode run) {
    if (chance(4)) {
      if (chance(8)) {
        run.put("each", "unbounded");
      } else {
        run.put("each", 1 + below(3));
      }
    }
    if (chance(6)) {
      run.put("cancelAfter", chance(12) ? 0 : 1 + below(4));
    }
  }

  /** What an element, or an event of poke, has done to the first subscriber. */
  private ObjectNode act(ObjectNode o) {
    if (!o.has("op")) {
      o = o.putObject("act");
    }
    o.put("after", 1 + below(4));
    if (emitting && chance(2)) {
      switch (below(5)) {
        case 0 -> o.put("error", "within");
        case 1 -> o.put("complete", true);
        default -> o.put("next", 50 + below(5));
      }
      return o.put("do", "emit");
    }
    if (chance(2)) {
      return o.put("do", "request").put("n", 1 + below(3));
    }
    return o.put("do", "cancel");
  }

  private void subscribers(ObjectNode run, String last) {
    ArrayNode all = run.putArray("subscribers");
    int at = chance(4) ? ms() : 0;
    boolean waits = false; // for the one before to make it subscribe
    for (int i = 1 + below(3); i > 0; i--) {
      ObjectNode s = all.addObject();
      if (waits) {
        waits = false;
      } else {
        s.put("at", at);
      }
      s.set("demand", demand(at));
      cancel(s, at);
      reactions(s);
      if (chance(6)) {
        act(s).put("who", Math.max(0, all.size() - 1 - below(2)));
      } else if (i > 1 && chance(4)) {
        s.putObject("act").put("after", 1 + below(3)).put("do", chance(3) ? "cancel" : "subscribe").put("who", all.size());
        waits = s.get("act").get("do").asText().equals("subscribe");
      }
      if (EMITTING.contains(last) && chance(4)) {
        ObjectNode emit = s.putObject("emit").put("after", 1 + below(4));
        switch (last.equals("unicastBuffer") ? 2 : below(5)) { // which counts its subscriber until the end has arrived
          case 0 -> emit.put("error", "within");
          case 1 -> emit.put("complete", true);
          default -> emit.put("next", 50 + below(5));
        }
      }
      at += ms();
    }
    if (last.equals("publish") || last.equals("replay") || last.equals("multicastUpstream")) {
      int connect = ms();
      run.put("connectAt", connect);
      if (chance(3)) {
        int disconnect = connect + period();
        run.put("disconnectAt", disconnect);
        if (chance(2) && !last.equals("multicastUpstream")) {
          run.put("reconnectAt", disconnect + ms());
        }
      }
    }
    run.put("until", UNTIL);
  }

  private ObjectNode sharing() {
    ObjectNode o = named(pick(SHARING));
    sharing(o);
    mono = false;
    return o;
  }

  private void sharing(ObjectNode o) {
    String name = o.get("op").asText();
    if (name.startsWith("publish") && chance(2)) {
      o.put("prefetch", prefetch());
    }
    if (name.startsWith("replay") || name.equals("cache")) {
      if (chance(2)) {
        o.put("history", 1 + below(4));
      }
      if (chance(3)) {
        o.put("ms", period());
      }
    }
    if (name.endsWith("RefCount") || name.endsWith("AutoConnect")) {
      o.put("min", name.endsWith("AutoConnect") && chance(8) ? 0 : 1 + below(2));
    }
    if (name.endsWith("RefCount") && chance(3)) {
      o.put("graceMs", period());
    }
  }

  private void sink(ObjectNode v, int length) {
    ObjectNode p = v.putObject("program");
    String type = pick(SINKS);
    ObjectNode sink = p.putObject("sink").put("type", type);
    mono = type.equals("one") || type.equals("empty");
    switch (type) {
      case "unicastBuffer" -> {
        if (chance(2)) {
          sink.put("tag", ++tag);
          if (chance(2)) {
            sink.put("size", 1 + below(4));
          }
        }
      }
      case "multicastBuffer", "multicastUpstream" -> {
        if (chance(2)) {
          sink.put("size", 1 + below(4));
        }
        if (chance(3)) {
          sink.put("autoCancel", false);
        }
        if (type.equals("multicastUpstream")) {
          boolean before = mono;
          sink.set("other", program(1, false, below(3)));
          mono = before;
        }
      }
      case "replayLatestOrDefault" -> sink.put("default", 99);
      case "replayLimit" -> {
        sink.put("size", 1 + below(3));
        if (chance(2)) {
          sink.put("ms", period());
        }
      }
      default -> { }
    }
    shared = true;
    sharedMono = mono;
    emitting = EMITTING.contains(type) && !type.equals("unicastBuffer");
    ops(p, length, 0);
    shared = false;
    ArrayNode script = p.putArray("script");
    int t = ms();
    for (int i = below(7); i > 0 && !type.equals("empty") && !type.equals("multicastUpstream"); i--) {
      script.addObject().put("at", t).put("next", below(8));
      t += ms();
    }
    switch (type.equals("multicastUpstream") ? 2 : below(3)) {
      case 0 -> script.addObject().put("at", t).put("error", "sink");
      case 1 -> script.addObject().put("at", t).put("complete", true);
      default -> { }
    }
    for (int i = script.isEmpty() || type.equals("empty") ? 0 : chance(4) ? 1 + below(2) : 0; i > 0; i--) {
      ObjectNode late = script.addObject().put("at", t);
      switch (below(4)) {
        case 0 -> late.put("error", "late");
        case 1 -> late.put("complete", true);
        default -> late.put("next", below(8));
      }
    }
    subscribers(v.putObject("run"), type);
  }

  /** A program of up to length operators. Within a function from a value, inner, there are sources with that. */
  private ObjectNode program(int depth, boolean wantMono, int length) {
    ObjectNode p = Values.JSON.objectNode();
    p.set("src", source(depth, wantMono));
    ops(p, length, depth);
    return p;
  }

  private void ops(ObjectNode p, int length, int depth) {
    if (length > 0) {
      ArrayNode ops = p.putArray("ops");
      String before = "";
      for (int i = 0; i < length; i++) {
        List<String> all = mono ? MONO_OPS : FLUX_OPS;
        if (before.isEmpty() || !all.contains(before) || !chance(12)) {
          before = pick(all);
        }
        ops.add(op(before, depth));
      }
    }
  }

  private JsonNode other(int depth) {
    boolean before = mono;
    ObjectNode p = program(depth + 1, chance(3), below(3) == 0 ? 1 + below(2) : 0);
    mono = before;
    return p;
  }

  private JsonNode trigger(int depth) {
    boolean before = mono;
    ObjectNode p = Values.JSON.objectNode();
    switch (below(4)) {
      case 0 -> p.set("src", named("interval").put("initial", ms()).put("period", period()));
      case 1 -> p.set("src", named("monoDelay").put("ms", ms()));
      case 2 -> p.set("src", source(DEPTH, chance(2)));
      default -> {
        mono = before;
        return other(depth);
      }
    }
    mono = before;
    return p;
  }

  private ObjectNode timer() {
    ObjectNode p = Values.JSON.objectNode();
    p.set("src", chance(2) ? named("monoDelay").put("ms", period()) : named("interval").put("initial", period()).put("period", period()));
    return p;
  }

  private ObjectNode test() {
    return switch (below(4)) {
      case 0 -> named("arg");
      case 1 -> named("argDelay").put("base", ms()).put("mod", 1 + below(4)).put("mul", ms());
      case 2 -> named("argModRange").put("mod", 1 + below(4));
      default -> named("argInterval").put("initial", ms()).put("period", period()).put("count", 1 + below(3));
    };
  }

  private ArrayNode others(int depth, int most) {
    ArrayNode list = Values.JSON.arrayNode();
    for (int i = 1 + below(most); i > 0; i--) {
      list.add(other(depth));
    }
    return list;
  }

  private JsonNode inner(int depth) {
    boolean before = mono;
    ObjectNode p = Values.JSON.objectNode();
    p.set("src", innerSource(depth + 1, chance(2)));
    ops(p, below(3) == 0 && depth < DEPTH ? 1 + below(2) : 0, depth + 1);
    mono = before;
    return p;
  }

  private ObjectNode innerSource(int depth, boolean wantMono) {
    switch (below(6)) {
      case 0 -> {
        return source(depth, wantMono);
      }
      case 1 -> {
        if (depth < DEPTH) {
          ObjectNode s = named("argSwitch");
          ArrayNode cases = s.putArray("cases");
          for (int i = 2 + below(2); i > 0; i--) {
            ObjectNode p = cases.addObject();
            p.set("src", innerSource(depth + 1, wantMono));
          }
          // What a case is may depend on the value: only fluxes and monos alone have operators behind them.
          mono = wantMono;
          return s;
        }
      }
      default -> { }
    }
    mono = wantMono;
    ObjectNode s = named(pick(wantMono ? ARG_MONOS : ARG_FLUXES));
    switch (s.get("op").asText()) {
      case "argRange" -> s.put("count", below(4));
      case "argModRange" -> s.put("mod", 1 + below(4));
      case "argInterval" -> s.put("initial", ms()).put("period", period()).put("count", 1 + below(3));
      case "argChildren" -> s.put("width", 1 + below(3)).put("limit", 10 + below(5));
      case "argDelay" -> s.put("base", ms()).put("mod", 1 + below(4)).put("mul", ms());
      case "argFailIf", "argThrowIf" -> s.put("msg", "inner").set("pred", pred());
      case "argEmptyIf" -> s.set("pred", pred());
      default -> { }
    }
    return s;
  }

  private ObjectNode named(String op) {
    return Values.JSON.objectNode().put("op", op);
  }

  private ArrayNode items(int most) {
    ArrayNode list = Values.JSON.arrayNode();
    for (int i = 1 + below(most); i > 0; i--) {
      list.add(below(10));
    }
    return list;
  }

  private ObjectNode source(int depth, boolean wantMono) {
    ObjectNode s;
    if (shared && depth > 0 && wantMono == sharedMono && chance(2)) {
      mono = sharedMono;
      return named("x");
    }
    do {
      s = named(pick(wantMono ? MONO_SOURCES : FLUX_SOURCES));
    } while (depth >= DEPTH && isNested(s.get("op").asText()));
    String name = s.get("op").asText();
    switch (name) {
      case "just", "fromIterable", "fromStream" -> s.set("items", items(7));
      case "range" -> s.put("start", below(5)).put("count", below(9));
      case "error", "monoError" -> s.put("msg", "src");
      case "interval" -> s.put("initial", ms()).put("period", period());
      case "timed" -> {
        ArrayNode events = s.putArray("events");
        int t = 0;
        for (int i = below(8); i > 0; i--) {
          events.addObject().put("at", t).put("next", below(10));
          t += chance(3) ? 0 : ms();
        }
        switch (below(5)) {
          case 0 -> events.addObject().put("at", t).put("error", "boom");
          case 1 -> { }
          default -> events.addObject().put("at", t).put("complete", true);
        }
        if (chance(8)) {
          late(events, t);
        }
        if (chance(4)) {
          s.put("overflow", pick(List.of("drop", "latest", "error")));
        }
        if (chance(6)) {
          s.put("push", true);
        }
      }
      case "createOnRequest" -> {
        s.put("count", below(8)).put("end", pick(List.of("complete", "complete", "complete", "complete", "open", "open", "error")));
        if (chance(2)) {
          s.put("tag", ++tag);
        }
        if (chance(3)) {
          s.put("extra", 1 + below(3));
        }
        if (chance(3)) {
          s.put("overflow", pick(List.of("drop", "latest", "error")));
        }
      }
      case "errorOnRequest", "throwing", "monoThrowing" -> s.put("msg", "src");
      case "rogue" -> {
        ArrayNode events = s.putArray("events");
        int t = 0;
        for (int i = below(6); i > 0; i--) {
          events.addObject().put("at", t).put("next", below(10));
          t += chance(3) ? 0 : ms();
        }
        boolean late = chance(4);
        for (int i = late ? 2 : 1; i > 0; i--) {
          ObjectNode end = events.addObject().put("at", t);
          if (chance(3)) {
            end.put("error", "rogue");
          } else {
            end.put("complete", true);
          }
        }
        if (late) {
          events.addObject().put("at", t).put("next", below(10));
          s.put("afterEnd", true);
        }
      }
      case "mergeAll", "mergeSequentialAll" -> {
        s.set("outer", other(depth));
        s.set("inner", inner(depth));
        maybePrefetch(s);
        if (chance(2)) {
          s.put("concurrency", concurrency());
        }
        if (name.equals("mergeSequentialAll")) {
          maybe(s, "delayError");
        }
      }
      case "generate" -> {
        s.put("start", below(4)).put("count", below(6)).put("end", pick(List.of("complete", "complete", "error", "throw")));
        if (chance(2)) {
          s.put("tag", ++tag);
        }
      }
      case "defer", "concat", "concatDelayError", "firstWithSignal", "firstWithValue" -> s.set("of", others(depth, 3));
      case "merge", "mergeDelayError", "mergePriority", "zip", "combineLatest" -> {
        s.set("of", others(depth, 3));
        maybePrefetch(s);
        if ((name.equals("zip") || name.equals("combineLatest")) && chance(2)) {
          s.set("fn", combiner());
        }
      }
      case "mergeSequential", "mergeComparing" -> {
        s.set("of", others(depth, 3));
        maybePrefetch(s);
        maybe(s, "delayError");
      }
      case "switchOnNext" -> {
        s.set("outer", other(depth));
        s.set("inner", inner(depth));
      }
      case "using", "monoUsing" -> {
        s.put("tag", ++tag).put("resource", below(6)).put("eager", chance(2));
        s.set("of", inner(depth));
        if (chance(8)) {
          s.put("failAcquire", true);
        }
        if (chance(8)) {
          s.put("failRelease", true);
        }
      }
      case "usingWhen", "monoUsingWhen" -> {
        s.put("tag", ++tag);
        s.set("resource", chance(3) ? other(depth) : Values.JSON.objectNode().set("src", named("monoJust").put("v", below(6))));
        s.set("of", inner(depth));
        s.set("asyncComplete", inner(depth));
        s.set("asyncError", inner(depth));
        s.set("asyncCancel", inner(depth));
      }
      case "monoJust" -> s.put("v", below(10));
      case "monoDelay" -> s.put("ms", ms());
      case "monoTimed" -> {
        s.put("at", ms());
        switch (below(4)) {
          case 0 -> s.put("error", "boom");
          case 1 -> s.put("complete", true);
          default -> s.put("next", below(10));
        }
      }
      case "monoCallable" -> {
        switch (below(3)) {
          case 0 -> s.put("msg", "call");
          case 1 -> { }
          default -> s.put("v", below(10));
        }
      }
      case "monoRunnable" -> {
        s.put("tag", ++tag);
        if (chance(3)) {
          s.put("msg", "run");
        }
      }
      case "monoDefer", "monoFirstWithSignal", "monoFirstWithValue" -> s.set("of", others(depth, 3));
      case "monoZip", "monoWhen" -> {
        s.set("of", others(depth, 3));
        maybe(s, "delayError");
        if (name.equals("monoZip") && chance(2)) {
          s.set("fn", combiner());
        }
      }
      case "monoSequenceEqual" -> {
        s.putArray("of").add(other(depth)).add(other(depth));
        maybePrefetch(s);
      }
      case "monoFrom", "monoIgnoreElements" -> s.set("of", other(depth));
      default -> { }
    }
    mono = wantMono;
    return s;
  }

  /** Signals after the end. */
  private void late(ArrayNode events, int t) {
    for (int i = 1 + below(2); i > 0; i--) {
      ObjectNode e = events.addObject().put("at", t);
      switch (below(4)) {
        case 0 -> e.put("error", "late");
        case 1 -> e.put("complete", true);
        default -> e.put("next", below(10));
      }
      t += ms();
    }
  }

  private static boolean isNested(String op) {
    return switch (op) {
      case "just", "range", "empty", "never", "error", "fromIterable", "fromStream", "interval", "timed", "generate", "createOnRequest", "errorOnRequest",
          "throwing", "rogue", "monoThrowing", "monoJust", "monoEmpty", "monoNever",
          "monoError", "monoDelay", "monoTimed", "monoCallable", "monoRunnable" -> false;
      default -> true;
    };
  }

  private void maybePrefetch(ObjectNode o) {
    if (chance(2)) {
      o.put("prefetch", prefetch());
    }
  }

  private void maybe(ObjectNode o, String flag) {
    if (chance(2)) {
      o.put(flag, chance(2));
    }
  }

  private JsonNode fn() {
    return call(pick(List.of("identity", "num", "add", "mul", "neg", "mod", "const", "pair", "failAt")));
  }

  private JsonNode key() {
    return call(pick(List.of("mod", "mod", "mod", "identity", "failAt")));
  }

  private JsonNode pred() {
    return call(pick(List.of("even", "odd", "lt", "gt", "eq", "modEq", "true", "false", "failAt")));
  }

  private JsonNode combiner() {
    return call(pick(List.of("sum", "sub", "max", "min", "second", "pair", "sumFailAt")));
  }

  private ArrayNode call(String name) {
    ArrayNode c = Values.JSON.arrayNode().add(name);
    switch (name) {
      case "add", "mul", "const", "pair", "lt", "gt", "eq" -> c.add(below(8));
      case "failAt" -> c.add(below(10));
      case "sumFailAt" -> c.add(below(16));
      case "mod" -> c.add(1 + below(4));
      case "modEq" -> {
        int m = 1 + below(4);
        c.add(m).add(below(m));
      }
      default -> { }
    }
    return c;
  }

  private ObjectNode op(String name, int depth) {
    boolean before = mono;
    ObjectNode o = named(name);
    arguments(o, name, depth);
    mono = before ? !TO_FLUX.contains(name) : TO_MONO.contains(name);
    if (name.equals("rails")) {
      mono = List.of("collectSortedList", "reduce", "then").contains(o.get("end").asText());
    }
    return o;
  }

  private void arguments(ObjectNode o, String name, int depth) {
    switch (name) {
      case "map" -> o.set("fn", fn());
      case "mapNotNull" -> {
        o.set("dropIf", pred());
        o.set("fn", fn());
      }
      case "handle" -> {
        o.set("fn", fn());
        if (chance(2)) {
          o.set("skip", pred());
        }
        if (chance(2)) {
          o.put("completeAt", below(10));
        }
        if (chance(2)) {
          o.put("errorAt", below(10));
        }
      }
      case "scan", "reduce" -> o.set("fn", combiner());
      case "scanWithSeed", "reduceWithSeed" -> {
        o.put("seed", below(5)).set("fn", combiner());
        if (chance(3)) {
          o.put("failSeed", chance(3));
        }
      }
      case "collect" -> {
        o.set("fn", fn());
        o.put("failSeed", chance(8));
      }
      case "distinctStore" -> {
        o.set("key", key());
        o.put("tag", ++tag);
      }
      case "tap" -> o.put("tag", ++tag);
      case "poke" -> {
        o.put("on", pick(List.of("subscribe", "request", "next", "next", "next", "terminate", "cancel")));
        act(o);
        if (o.get("on").asText().equals("request")) {
          o.put("after", 1); // how requests are cut up is no semantics
        }
      }
      case "share", "publishRefCount", "publishAutoConnect", "replayRefCount", "replayAutoConnect", "fluxCache" -> {
        if (!mono) {
          if (name.equals("fluxCache")) {
            o.put("op", "cache");
          }
          sharing(o);
          if (!name.endsWith("AutoConnect") && !name.endsWith("RefCount")) {
            return;
          }
          if (o.get("min").asInt() > 1) {
            o.put("min", 1);
          }
        }
      }
      case "rails" -> rails(o, depth);
      case "dematerialize" -> {
        if (chance(2)) {
          o.put("completeAt", below(10));
        }
        if (chance(2)) {
          o.put("errorAt", below(10));
        }
      }
      case "flatMapIterable", "concatMapIterable" -> {
        o.set("iter", call2());
        if (!mono && chance(2)) {
          o.put("prefetch", prefetch());
        }
      }
      case "concatMap" -> {
        o.set("inner", inner(depth));
        maybePrefetch(o);
        if (chance(4)) {
          o.put("prefetch", 0);
        }
      }
      case "concatMapDelayError" -> {
        o.set("inner", inner(depth));
        maybePrefetch(o);
        if (chance(4)) {
          o.put("prefetch", 0);
        }
        maybe(o, "untilEnd");
      }
      case "flatMap", "flatMapDelayError", "flatMapSequential", "flatMapSequentialDelayError" -> {
        o.set("inner", inner(depth));
        if (!mono) {
          maybePrefetch(o);
          if (chance(2)) {
            o.put("concurrency", concurrency());
          }
        }
      }
      case "flatMapSignal", "flatMapManySignal" -> {
        o.set("onNext", inner(depth));
        o.set("onError", inner(depth));
        o.set("onComplete", inner(depth));
      }
      case "switchMap" -> {
        o.set("inner", inner(depth));
        maybePrefetch(o);
      }
      case "switchOnFirst" -> {
        o.set("pred", pred());
        o.set("then", fn());
        o.set("else", inner(depth));
        maybe(o, "cancelSource");
      }
      case "expand", "expandDeep" -> {
        ObjectNode p = o.putObject("inner");
        p.set("src", named("argChildren").put("width", 1 + below(3)).put("limit", 10 + below(5)));
        if (chance(2)) {
          ObjectNode step = named(pick(List.of("delayElements", "map", "publishOn", "hide", "take", "takeUntilOther", "concatWith")));
          arguments(step, step.get("op").asText(), DEPTH);
          if (step.get("op").asText().equals("map")) {
            step.set("fn", call("failAt"));
          }
          if (step.get("op").asText().equals("concatWith")) {
            step.set("other", Values.JSON.objectNode().set("src", named(pick(List.of("error", "throwing", "empty"))).put("msg", "src")));
          }
          p.putArray("ops").add(step);
        }
      }
      case "addCtx" -> o.put("key", pick(List.of("a", "b")));
      case "contextWrite" -> o.put("key", pick(List.of("a", "b"))).put("v", 100 * (1 + below(5)));
      case "collectMap", "collectMultimap" -> {
        o.set("key", key());
        if (chance(2)) {
          o.set("value", fn());
        }
      }
      case "distinct" -> o.set("key", key());
      case "distinctUntilChanged", "bufferUntilChanged" -> {
        o.set("key", key());
        if (chance(3)) {
          o.put("near", 1);
        }
      }
      case "all", "any", "filter", "takeWhile", "takeUntil", "skipWhile", "skipUntil", "bufferWhile", "cacheInvalidateIf" ->
          o.set("pred", pred());
      case "hasElement" -> {
        if (!mono) {
          o.put("v", below(8));
        }
      }
      case "elementAt" -> {
        o.put("index", below(5));
        if (chance(2)) {
          o.put("default", 99);
        }
      }
      case "last", "single" -> {
        if (!mono && chance(2)) {
          o.put("default", 99);
        }
      }
      case "thenMono", "thenEmpty", "thenMany", "switchIfEmpty", "concatWith", "startWith", "mergeWith", "mergeComparingWith", "or", "and" ->
          o.set("other", other(depth));
      case "onErrorResume" -> {
        o.set("other", other(depth));
        fails(o);
      }
      case "takeUntilOther", "skipUntilOther", "bufferOther" -> o.set("other", trigger(depth));
      case "windowOther" -> {
        o.set("other", trigger(depth));
        flat(o, depth);
      }
      case "thenReturn" -> o.put("v", below(8));
      case "filterWhen" -> { // without tests that fail: see decision 0010
        o.putObject("inner").set("src", test());
        if (!mono && chance(2)) {
          o.put("prefetch", 1 + below(8));
        }
      }
      case "delayUntil" -> o.set("inner", inner(depth));
      case "cacheInvalidateWhen" -> {
        o.set("inner", inner(depth));
        o.put("tag", ++tag);
      }
      case "cacheFor" -> o.put("ms", ms()).put("errorMs", ms()).put("emptyMs", ms());
      case "flatMapMany" -> o.set("inner", inner(depth));
      case "zipWhen" -> {
        o.set("inner", inner(depth));
        o.set("fn", combiner());
      }
      case "take" -> {
        o.put("n", below(6));
        maybe(o, "limit");
      }
      case "takeDuration" -> o.put("ms", period());
      case "skipDuration", "delaySequence" -> o.put("ms", ms());
      case "takeLast", "skip", "skipLast" -> o.put("n", below(5));
      case "defaultIfEmpty" -> o.put("v", 99);
      case "concatWithValues", "startWithValues" -> o.set("items", items(3));
      case "zipWith" -> {
        o.set("other", other(depth));
        if (chance(2)) {
          o.set("fn", combiner());
        }
        if (!mono && chance(2)) {
          o.put("prefetch", prefetch());
        }
      }
      case "zipWithIterable" -> o.set("items", items(5));
      case "withLatestFrom" -> {
        o.set("other", other(depth));
        if (chance(2)) {
          o.set("fn", combiner());
        }
      }
      case "join", "groupJoin" -> {
        o.set("other", other(depth));
        o.set("leftEnd", inner(depth));
        o.set("rightEnd", inner(depth));
      }
      case "delayElements", "delayElement" -> o.put("ms", ms());
      case "delaySubscription" -> {
        if (chance(2)) {
          o.put("ms", ms());
        } else {
          o.set("other", trigger(depth));
        }
      }
      case "sample" -> {
        if (chance(2)) {
          o.put("ms", period());
        } else {
          o.set("other", trigger(depth));
        }
      }
      case "sampleFirst" -> {
        if (chance(2)) {
          o.put("ms", period());
        } else {
          o.set("inner", inner(depth));
        }
      }
      case "sampleTimeout" -> {
        o.set("inner", inner(depth));
        if (chance(2)) {
          o.put("concurrency", concurrency());
        }
      }
      case "timeout" -> {
        o.put("ms", period());
        if (chance(2)) {
          o.set("fallback", other(depth));
        }
      }
      case "timeoutPub" -> {
        o.set("first", trigger(depth));
        if (!mono && chance(2)) {
          o.set("inner", inner(depth));
        }
        if ((mono || o.has("inner")) && chance(2)) {
          o.set("fallback", other(depth));
        }
      }
      case "retry" -> o.put("n", below(chance(4) ? 8 : 3));
      case "repeat" -> {
        o.put("n", below(chance(4) ? 8 : 3));
        if (chance(3)) {
          o.put("while", below(4));
        }
      }
      case "retryWhen" -> {
        String spec = pick(List.of("max", "maxInARow", "fixedDelay", "backoff", "companion"));
        o.put("spec", spec).put("max", below(4));
        switch (spec) {
          case "max" -> maybe(o, "transient");
          case "fixedDelay" -> {
            o.put("minMs", period());
            maybe(o, "transient");
          }
          case "backoff" -> {
            int min = period();
            o.put("minMs", min);
            if (chance(2)) {
              o.put("maxMs", min + ms());
            }
            maybe(o, "transient");
          }
          case "companion" -> o.put("delayMs", ms()).put("end", pick(List.of("error", "complete")));
          default -> { }
        }
        if (!spec.equals("companion")) {
          match(o);
          if (chance(3)) {
            o.put("tag", ++tag);
          }
          if (chance(4)) {
            o.put("beforeMs", ms());
          }
          if (chance(4)) {
            o.put("afterMs", ms());
          }
        }
      }
      case "repeatWhen" -> o.put("times", below(4)).put("delayMs", period());
      case "repeatWhenEmpty" -> {
        o.put("times", below(4)).put("delayMs", period());
        if (chance(2)) {
          o.put("max", 1 + below(3));
        }
      }
      case "onErrorReturn" -> {
        o.put("v", 77);
        match(o);
      }
      case "onErrorComplete" -> match(o);
      case "onErrorMap" -> {
        o.put("msg", "mapped");
        match(o);
        fails(o);
      }
      case "onErrorContinue" -> {
        o.put("tag", ++tag);
        match(o);
      }
      case "doFirst", "doOnSubscribe", "doOnError", "doAfterTerminate", "doFinally" -> {
        o.put("tag", ++tag);
        if (!mono || !name.equals("doAfterTerminate")) { // that of a mono is part of its end
          fails(o);
        }
      }
      case "doOnRequest", "doOnCancel", "doOnEach", "doOnDiscard", "onBackpressureDrop" -> o.put("tag", ++tag);
      case "doOnNext" -> {
        o.put("tag", ++tag);
        if (chance(3)) {
          o.put("failAt", below(8));
        }
      }
      case "doOnComplete", "doOnTerminate", "doOnSuccess" -> {
        o.put("tag", ++tag);
        if (chance(5)) {
          o.put("fail", true);
        }
      }
      case "limitRate" -> {
        int high = 1 + below(8);
        o.put("high", high);
        if (chance(2)) {
          o.put("low", below(high + 1));
        }
      }
      case "onBackpressureBuffer" -> {
        if (chance(4)) {
          return;
        }
        o.put("size", 1 + below(4)).put("tag", ++tag);
        switch (below(3)) {
          case 0 -> o.put("strategy", pick(List.of("ERROR", "DROP_LATEST", "DROP_OLDEST")));
          case 1 -> o.put("ttlMs", period());
          default -> { }
        }
      }
      case "publishOn" -> {
        if (!mono) {
          maybePrefetch(o);
          maybe(o, "delayError");
        }
      }
      case "subscribeOn" -> {
        if (!mono) {
          maybe(o, "requestOnSeparateThread");
        }
      }
      case "parallel" -> {
        o.put("n", 1 + below(4));
        maybePrefetch(o);
        if (chance(2)) {
          o.put("runPrefetch", prefetch());
        }
        o.set("fn", fn());
      }
      case "buffer" -> sizes(o);
      case "window" -> {
        sizes(o);
        flat(o, depth);
      }
      case "bufferDuration" -> durations(o);
      case "windowDuration" -> {
        durations(o);
        flat(o, depth);
      }
      case "bufferWhen" -> {
        o.set("open", trigger(depth));
        o.set("close", inner(depth));
      }
      case "windowWhen" -> {
        o.set("open", timer()); // what works where it is asked is in decision 0010
        o.set("close", timer());
        flat(o, depth);
      }
      case "bufferTimeout" -> {
        o.put("size", 1 + below(4)).put("ms", period());
        maybe(o, "fair");
      }
      case "windowTimeout" -> {
        o.put("size", 1 + below(4)).put("ms", period());
        maybe(o, "fair");
        flat(o, depth);
      }
      case "bufferUntil" -> {
        o.set("pred", pred());
        maybe(o, "cutBefore");
      }
      case "windowUntil" -> {
        o.set("pred", pred());
        maybe(o, "cutBefore");
        flat(o, depth);
      }
      case "windowUntilChanged" -> {
        o.set("key", key());
        if (chance(3)) {
          o.put("near", 1);
        }
        flat(o, depth);
      }
      case "windowWhile" -> {
        o.set("pred", pred());
        flat(o, depth);
      }
      case "groupBy" -> {
        o.set("key", chance(2) ? call("mod") : key());
        if (chance(6)) {
          o.put("most", 1 + below(3));
        }
        maybePrefetch(o);
        if (chance(2)) {
          o.put("concurrency", concurrency());
        }
        o.put("flat", pick(List.of("collect", "merge", "take", "ops", "ops")));
        if (o.get("flat").asText().equals("take")) {
          o.put("n", 1 + below(3));
        }
        if (o.get("flat").asText().equals("ops")) {
          part(o, depth);
        }
        if (chance(3)) {
          o.set("value", fn());
        }
      }
      case "publishSelector" -> {
        if (!mono) {
          o.put("mode", pick(List.of("merge", "zip", "concatTake", "ops", "ops", "other")));
          switch (o.get("mode").asText()) {
            case "ops" -> {
              boolean outside = shared;
              boolean outsideMono = sharedMono;
              shared = true;
              sharedMono = false;
              part(o, depth);
              shared = outside;
              sharedMono = outsideMono;
            }
            case "other" -> o.set("other", other(depth));
            default -> { }
          }
          maybePrefetch(o);
        }
      }
      case "cache" -> {
        if (chance(2)) {
          o.put("ms", period());
        }
      }
      default -> { }
    }
  }

  private JsonNode call2() {
    String name = pick(List.of("range", "modRange", "failAt"));
    return Values.JSON.arrayNode().add(name).add(name.equals("modRange") ? 1 + below(4) : below(4));
  }

  private void match(ObjectNode o) {
    if (chance(3)) {
      o.put("match", pick(List.of("boom", "boom:inner", "timeout", "overflow")));
    }
  }

  private void sizes(ObjectNode o) {
    o.put("size", 1 + below(4));
    if (chance(2)) {
      o.put("skip", 1 + below(5));
    }
  }

  private void durations(ObjectNode o) {
    o.put("ms", period());
    if (chance(2)) {
      o.put("everyMs", period());
    }
  }

  private void flat(ObjectNode o, int depth) {
    o.put("flat", pick(List.of("concatMap", "flatMap", "merge", "ops", "ops")));
    if (chance(6)) {
      o.put("most", 1 + below(3));
    }
    if (o.get("flat").asText().equals("ops")) {
      o.put("by", pick(List.of("concatMap", "flatMap", "flatMapSequential", "switchMap")));
      part(o, depth);
    }
  }

  /** Operators that each part of a flux has: a window, a group. */
  private void part(ObjectNode o, int depth) {
    boolean before = mono;
    mono = false;
    o.putArray("ops");
    ops(o, below(3), Math.min(depth + 1, DEPTH));
    mono = before;
  }

  private void fails(ObjectNode o) {
    if (chance(6)) {
      o.put("fail", true);
    }
  }

  private void rails(ObjectNode o, int depth) {
    o.put("n", 1 + below(4));
    maybePrefetch(o);
    ArrayNode steps = o.putArray("steps");
    for (int i = below(4); i > 0; i--) {
      ObjectNode step = named(pick(List.of("runOn", "map", "filter", "flatMap", "concatMap", "doOnNext", "doOnComplete", "reduceWith", "hide",
          "groups")));
      steps.add(step);
      switch (step.get("op").asText()) {
        case "runOn" -> maybePrefetch(step);
        case "map" -> step.set("fn", fn());
        case "filter" -> step.set("pred", pred());
        case "flatMap" -> {
          step.set("inner", inner(depth));
          maybePrefetch(step);
          maybe(step, "delayError");
          if (chance(2)) {
            step.put("concurrency", concurrency());
          }
        }
        case "concatMap" -> {
          step.set("inner", inner(depth));
          maybePrefetch(step);
        }
        case "doOnNext", "doOnComplete" -> step.put("tag", ++tag);
        case "reduceWith" -> step.put("seed", below(5)).set("fn", call(pick(List.of("sum", "max", "pair"))));
        case "groups" -> {
          ArrayNode ops = step.putArray("ops");
          boolean before = mono;
          mono = false;
          for (int k = 1 + below(2); k > 0 && !mono; k--) {
            ops.add(op(pick(CALM), DEPTH));
          }
          mono = before;
        }
        default -> { }
      }
    }
    o.put("end", pick(List.of("sequential", "sequential", "sequential", "sequential", "ordered", "ordered", "sorted", "sorted", "groups", "groups",
        "collectSortedList", "reduce", "then")));
    if (o.get("end").asText().equals("reduce")) {
      o.set("fn", combiner());
    }
    if (chance(2)) {
      o.put("endPrefetch", prefetch());
    }
  }
}
