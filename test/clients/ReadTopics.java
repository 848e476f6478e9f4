import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads topics with Kafka's own client, checks the headers of every record, and prints one line for each:
 * topic, key, ce-id, ce-type, and the bytes of the value. Exits with 1 at a record that the contract does not permit.
 */
public class ReadTopics {
  private static final List<String> REQUIRED = List.of("ce-specversion", "ce-id", "ce-source", "ce-type", "ce-time",
      "ce-resourcetype", "ce-eventtype", "ce-schemaversion", "ce-datacontenttype");

  public static void main(String[] args) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", args[0]);
    properties.put("group.id", "java-" + UUID.randomUUID());
    properties.put("auto.offset.reset", "earliest");
    int wanted = Integer.parseInt(args[1]);
    List<String> topics = Arrays.asList(args).subList(2, args.length);
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    int read = 0;
    StringDeserializer text = new StringDeserializer();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(properties, text, text)) {
      consumer.subscribe(topics);
      while (read < wanted && System.nanoTime() < deadline) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          Map<String, String> headers = headersOf(record);
          check(record, headers);
          int bytes = record.value().getBytes(StandardCharsets.UTF_8).length;
          System.out.println(String.join("\t", record.topic(), record.key(), headers.get("ce-id"),
              headers.get("ce-type"), String.valueOf(bytes)));
          read += 1;
        }
      }
    }
  }

  private static Map<String, String> headersOf(ConsumerRecord<String, String> record) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : record.headers()) {
      headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
    }
    return headers;
  }

  private static void check(ConsumerRecord<String, String> record, Map<String, String> headers) {
    for (String name : REQUIRED) {
      expect(headers.containsKey(name), record, "has no " + name);
    }
    expect(headers.get("ce-specversion").equals("1.0"), record, "has another specversion");
    expect(UUID.fromString(headers.get("ce-id")).version() == 7, record, "has an id that is not a UUIDv7");
    expect(Instant.parse(headers.get("ce-time")).isBefore(Instant.now()), record, "is of the future");
    String key = headers.get("ce-resourcetype") + "." + headers.get("ce-eventtype");
    expect(headers.get("ce-type").endsWith("." + key), record, "has a type of another event");
    expect(headers.get("ce-type").startsWith("studio."), record, "has a type of another platform");
    expect(record.value().startsWith("{"), record, "has a payload that is not an object");
  }

  private static void expect(boolean holds, ConsumerRecord<String, String> record, String complaint) {
    if (holds) return;
    System.err.println(record.topic() + " at " + record.offset() + " " + complaint);
    System.exit(1);
  }
}
