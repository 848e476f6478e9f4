# A double of our own that speaks EventStoreDB's protocol: test/doubles/eventstore. Not EventStoreDB.

eventstore_url='EVENTSTOREDB_URL=esdb://127.0.0.1:2113?tls=false'
eventstore_port=2113

eventstore_needs() {
  if [[ ! -e $engines_dir/../../node_modules ]]; then fail 'eventstore: run npm ci first'; fi
}

eventstore_up() {
  say 'eventstore: this is a protocol double of our own, not EventStoreDB'
  ensure eventstore
}

eventstore_down() { stop eventstore TERM; }

# npm only says which Node it would run: the process id is the double's own.
eventstore_start() {
  local node
  cd "$engines_dir/../.."
  node=$(npm exec --silent -- node -p process.execPath)
  mkdir -p "$data/eventstore"
  launch eventstore "$node" test/doubles/eventstore/main.ts --port $eventstore_port --data "$data/eventstore"
}

# The preface of HTTP/2 and empty settings.
eventstore_answers() { replies $eventstore_port 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0'; }
