import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import reactor.core.Exceptions;
import reactor.core.publisher.Signal;

/** The values, functions and error kinds of the format. */
final class Values {
  private Values() {}

  static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  static final Comparator<Object> BY_NUM = (a, b) -> Long.compare(num(a), num(b));

  /** The error of user code. */
  static final class Boom extends RuntimeException {
    Boom(String message) {
      super(message, null, false, false);
    }
  }

  /** Thrown by user code that was called too often; passes through every operator. */
  static final class Endless extends VirtualMachineError {}

  private static int steps;

  static void restart() {
    steps = 0;
  }

  /** Counts a call of user code: a program that makes too many does not end. */
  static void step() {
    if (++steps > 200_000) {
      throw new Endless();
    }
  }

  static long num(Object v) {
    step();
    if (v instanceof Long n) {
      return n;
    }
    if (v instanceof List<?> list) {
      long sum = 0;
      for (Object x : list) {
        sum += num(x);
      }
      return sum;
    }
    Signal<?> s = (Signal<?>) v;
    return s.isOnNext() ? num(s.get()) : s.isOnComplete() ? -1 : -2;
  }

  static Object value(JsonNode n) {
    if (n.isArray()) {
      List<Object> list = new ArrayList<>();
      n.forEach(x -> list.add(value(x)));
      return list;
    }
    if (n.isObject()) {
      return switch (n.get("sig").asText()) {
        case "next" -> Signal.next(value(n.get("v")));
        case "complete" -> Signal.complete();
        default -> throw new IllegalArgumentException("no value to start with: " + n);
      };
    }
    return n.asLong();
  }

  static JsonNode json(Object v) {
    if (v instanceof Long n) {
      return JSON.numberNode(n);
    }
    if (v instanceof List<?> list) {
      ArrayNode out = JSON.arrayNode();
      list.forEach(x -> out.add(json(x)));
      return out;
    }
    if (v instanceof Signal<?> s) {
      ObjectNode out = JSON.objectNode();
      if (s.isOnNext()) {
        out.put("sig", "next").set("v", json(s.get()));
      } else if (s.isOnComplete()) {
        out.put("sig", "complete");
      } else {
        out.put("sig", "error").put("e", kind(s.getThrowable()));
      }
      return out;
    }
    throw new IllegalStateException("no value: " + v + (v == null ? "" : " of " + v.getClass()));
  }

  static Object bool(boolean b) {
    return b ? 1L : 0L;
  }

  static Object pair(Object a, Object b) {
    return List.of(a, b);
  }

  static Function<Object, Object> fn(JsonNode c) {
    return switch (name(c)) {
      case "identity" -> v -> counted(v);
      case "num" -> v -> num(v);
      case "add" -> v -> num(v) + arg(c, 1);
      case "mul" -> v -> num(v) * arg(c, 1);
      case "neg" -> v -> -num(v);
      case "mod" -> v -> Math.floorMod(num(v), arg(c, 1));
      case "const" -> v -> counted(arg(c, 1));
      case "pair" -> v -> pair(v, counted(arg(c, 1)));
      case "failAt" -> v -> {
        if (num(v) == arg(c, 1)) {
          throw new Boom("boom");
        }
        return v;
      };
      default -> throw new IllegalArgumentException("function " + c);
    };
  }

  private static Object counted(Object v) {
    step();
    return v;
  }

  static Function<Object, Long> key(JsonNode c) {
    Function<Object, Object> fn = fn(c);
    return v -> num(fn.apply(v));
  }

  static Predicate<Object> pred(JsonNode c) {
    return switch (name(c)) {
      case "even" -> v -> Math.floorMod(num(v), 2) == 0;
      case "odd" -> v -> Math.floorMod(num(v), 2) == 1;
      case "lt" -> v -> num(v) < arg(c, 1);
      case "gt" -> v -> num(v) > arg(c, 1);
      case "eq" -> v -> num(v) == arg(c, 1);
      case "modEq" -> v -> Math.floorMod(num(v), arg(c, 1)) == arg(c, 2);
      case "true" -> v -> true;
      case "false" -> v -> false;
      case "failAt" -> v -> {
        if (num(v) == arg(c, 1)) {
          throw new Boom("boom");
        }
        return true;
      };
      default -> throw new IllegalArgumentException("predicate " + c);
    };
  }

  static BiFunction<Object, Object, Object> combine(JsonNode c) {
    if (c == null) {
      return Values::pair;
    }
    return switch (name(c)) {
      case "sum" -> (a, b) -> num(a) + num(b);
      case "sub" -> (a, b) -> num(a) - num(b);
      case "max" -> (a, b) -> Math.max(num(a), num(b));
      case "min" -> (a, b) -> Math.min(num(a), num(b));
      case "second" -> (a, b) -> b;
      case "pair" -> Values::pair;
      case "sumFailAt" -> (a, b) -> {
        long sum = num(a) + num(b);
        if (sum == arg(c, 1)) {
          throw new Boom("boom");
        }
        return sum;
      };
      default -> throw new IllegalArgumentException("combiner " + c);
    };
  }

  /** The combiner of any number of values: folded from the left, a list without fn. */
  static Function<Object[], Object> combineAll(JsonNode c) {
    if (c == null) {
      return vs -> List.of(vs);
    }
    BiFunction<Object, Object, Object> fn = combine(c);
    return vs -> {
      Object acc = vs[0];
      for (int i = 1; i < vs.length; i++) {
        acc = fn.apply(acc, vs[i]);
      }
      return acc;
    };
  }

  static Function<Object, List<Object>> iter(JsonNode c) {
    return switch (name(c)) {
      case "range" -> v -> tens(num(v), arg(c, 1));
      case "modRange" -> v -> tens(num(v), Math.floorMod(num(v), arg(c, 1)));
      case "failAt" -> v -> {
        if (num(v) == arg(c, 1)) {
          throw new Boom("boom");
        }
        return tens(num(v), 2);
      };
      default -> throw new IllegalArgumentException("iterable " + c);
    };
  }

  static List<Object> tens(long n, long count) {
    List<Object> list = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      list.add(n * 10 + i);
    }
    return list;
  }

  private static String name(JsonNode c) {
    return c.isTextual() ? c.asText() : c.get(0).asText();
  }

  private static long arg(JsonNode c, int i) {
    return c.get(i).asLong();
  }

  static String kind(Throwable t) {
    t = Exceptions.unwrap(t);
    if (t.getClass().getSimpleName().equals("SourceException")) { // an error of a source among those of an operator
      t = t.getCause();
    }
    if (t instanceof Boom) {
      return "boom:" + t.getMessage();
    }
    if (Exceptions.isMultiple(t)) {
      StringBuilder all = new StringBuilder("composite:");
      String comma = "";
      for (Throwable one : Exceptions.unwrapMultipleExcludingTracebacks(t)) {
        all.append(comma).append(kind(one));
        comma = ",";
      }
      return all.toString();
    }
    String message = String.valueOf(t.getMessage());
    if (Exceptions.isRetryExhausted(t)) {
      return "retryExhausted";
    }
    if (Exceptions.isOverflow(t)) {
      return "overflow";
    }
    if (t instanceof TimeoutException) {
      return "timeout";
    }
    if (t instanceof IndexOutOfBoundsException) {
      return message.contains("more than one") ? "tooManyElements" : "indexOutOfBounds";
    }
    if (t instanceof NoSuchElementException) {
      return "noSuchElement";
    }
    if (message.contains("Async resource cleanup failed")) {
      return "asyncCleanup";
    }
    if (t instanceof IllegalArgumentException) {
      return message.contains("3.9") ? "illegalRequest" : "illegalArgument";
    }
    if (t instanceof CancellationException) {
      return "cancelled";
    }
    if (t instanceof RejectedExecutionException) {
      return "rejected";
    }
    if (t instanceof IllegalStateException) {
      return "illegalState";
    }
    if (t instanceof NullPointerException) {
      return "nullValue";
    }
    return "unknown!(" + t + ")";
  }
}
