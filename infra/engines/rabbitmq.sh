# RabbitMQ as Debian packages it, as a node of its own beside one that the machine may run.

rabbitmq_url='AMQP_URL=amqp://guest:guest@127.0.0.1:5672/'
rabbitmq_port=5672
epmd_port=4369

rabbitmq_needs() { need rabbitmq-server rabbitmq-server; }

rabbitmq_up() {
  mkdir -p "$data/rabbitmq"
  # Erlang's name service would be started by the node, and stay when the node is gone.
  if is_running epmd || ! listening $epmd_port; then ensure epmd; fi
  ensure rabbitmq
}

rabbitmq_down() {
  stop rabbitmq TERM
  stop epmd TERM
}

epmd_start() { launch epmd env ERL_EPMD_ADDRESS=127.0.0.1 epmd; }
epmd_answers() { listening $epmd_port; }

# With -noinput in the place of RabbitMQ's own waiting shell, the process id is the broker's.
rabbitmq_start() {
  launch rabbitmq env -C "$data/rabbitmq" HOME="$data/rabbitmq" ERL_EPMD_ADDRESS=127.0.0.1 \
    RABBITMQ_NODENAME=quipu@localhost RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=$rabbitmq_port \
    RABBITMQ_MNESIA_BASE="$data/rabbitmq" RABBITMQ_LOG_BASE="$data/rabbitmq" RABBITMQ_LOGS=- \
    RABBITMQ_ENABLED_PLUGINS_FILE="$data/rabbitmq/enabled_plugins" RABBITMQ_CONFIG_FILE="$data/rabbitmq/none" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-noinput -kernel inet_dist_use_interface {127,0,0,1}' \
    RABBITMQ_ALLOW_INPUT=1 /usr/lib/rabbitmq/bin/rabbitmq-server
}

# The protocol header; a broker that is up replies with connection.start.
rabbitmq_answers() { replies $rabbitmq_port 'AMQP\0\0\x09\1'; }
