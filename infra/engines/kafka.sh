# Apache Kafka itself: one node that is broker and controller (KRaft).

kafka_url='KAFKA_BROKERS=127.0.0.1:9092'
kafka_port=9092

kafka_needs() {
  need java default-jre-headless
  need mvn maven
}

kafka_up() {
  kafka_jars=$(fetched kafka kafka/pom.xml -- fetch_kafka)
  if [[ ! -d $data/kafka ]]; then format_kafka; fi
  kafka_config "$data/kafka" >"$run/kafka.properties"
  ensure kafka
}

kafka_down() { stop kafka TERM; }

fetch_kafka() {
  mvn --batch-mode --quiet -f "$engines_dir/kafka/pom.xml" dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$1"
}

# In a folder with another name until it is whole.
format_kafka() {
  rm -rf "$data/kafka-partial"
  kafka_config "$data/kafka-partial" >"$run/kafka-format.properties"
  kafka_java kafka.tools.StorageTool format --cluster-id "$(kafka_java kafka.tools.StorageTool random-uuid)" \
    --config "$run/kafka-format.properties" >"$run/kafka-format.log" 2>&1 ||
    fail "Kafka's storage could not be formatted: see $run/kafka-format.log"
  mv "$data/kafka-partial" "$data/kafka"
}

kafka_config() { sed "s|@DATA@|$1|" "$engines_dir/kafka/server.properties"; }

kafka_java() { java "${kafka_options[@]}" -cp "$kafka_jars/*" "$@"; }
kafka_options=(-Xms128m -Xmx512m "-Dlog4j2.configurationFile=file:$engines_dir/kafka/log4j2.properties")

kafka_start() {
  launch kafka java "${kafka_options[@]}" -cp "$kafka_jars/*" kafka.Kafka "$run/kafka.properties"
}

# ApiVersions, version 0.
kafka_answers() { replies $kafka_port '\0\0\0\x0a\0\x12\0\0\0\0\0\1\xff\xff'; }
