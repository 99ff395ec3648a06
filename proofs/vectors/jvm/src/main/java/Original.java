import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs programs of the format with Project Reactor.
 *
 * <p>check DIR compares the vectors of a folder with what it does; record IN OUT writes those of a file that make
 * good vectors, with what is observed as expectations; random COUNT SEED FILE does that for random programs.
 */
public final class Original {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Original() {}

  public static void main(String[] args) throws IOException {
    if (args.length == 2 && args[0].equals("check")) {
      System.exit(check(Path.of(args[1])) ? 0 : 1);
    } else if (args.length == 4 && args[0].equals("random")) {
      random(Integer.parseInt(args[1]), Long.parseLong(args[2]), Path.of(args[3]));
    } else if (args.length == 3 && args[0].equals("record")) {
      record(Path.of(args[1]), Path.of(args[2]));
    } else {
      System.err.println("usage: check DIR | record IN OUT | random COUNT SEED FILE");
      System.exit(2);
    }
  }

  private static boolean check(Path dir) throws IOException {
    int same = 0;
    int different = 0;
    List<Path> files = new ArrayList<>();
    try (var list = Files.newDirectoryStream(dir, "*.jsonl")) {
      list.forEach(files::add);
    }
    for (Path file : files) {
      for (String line : Files.readAllLines(file)) {
        JsonNode v = MAPPER.readTree(line);
        if (v.get("run").path("strict").asBoolean()) {
          continue; // about illegal requests, which is not made here
        }
        Run r = Run.of(v);
        JsonNode got = MAPPER.readTree(r.outcome(v.get("run").has("subscribers")).toString());
        if (r.fault == null && got.equals(v.get("expect"))) {
          same++;
          continue;
        }
        different++;
        System.out.println(v.get("id").asText() + " " + v.get("class").asText() + " " + r.fault + "\n  program  " + v.get("program")
            + "\n  run      " + v.get("run") + "\n  expected " + v.get("expect") + "\n  got      " + got);
      }
    }
    System.out.println(same + " as recorded, " + different + " not");
    return different == 0;
  }

  private static void record(Path in, Path to) throws IOException {
    Map<String, Integer> left = new TreeMap<>();
    int written = 0;
    try (BufferedWriter out = Files.newBufferedWriter(to)) {
      for (String line : Files.readAllLines(in)) {
        written += write((ObjectNode) MAPPER.readTree(line), out, left) ? 1 : 0;
      }
    }
    System.out.println(written + " vectors; left out: " + left);
  }

  private static void random(int count, long seed, Path file) throws IOException {
    RandomPrograms programs = new RandomPrograms(seed);
    Map<String, Integer> left = new TreeMap<>();
    int written = 0;
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      while (written < count) {
        written += write(programs.next("random-" + seed + "-" + written), out, left) ? 1 : 0;
      }
    }
    System.out.println(written + " vectors; left out: " + left);
  }

  /** Runs a program twice and writes its vector, unless there is something wrong with that: then left counts it. */
  private static boolean write(ObjectNode v, BufferedWriter out, Map<String, Integer> left) throws IOException {
    Run r = Run.of(v);
    if (r.fault == null) {
      boolean several = v.get("run").has("subscribers");
      JsonNode first = r.outcome(several);
      Run again = Run.of(v);
      if (again.fault == null && again.outcome(several).equals(first)) {
        v.set("expect", first);
        out.write(v.toString());
        out.newLine();
        return true;
      }
      r.fault("differs from run to run");
    }
    left.merge(r.fault.length() > 60 ? r.fault.substring(0, 60) : r.fault, 1, Integer::sum);
    return false;
  }
}
