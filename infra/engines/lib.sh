# Shared by up and down. Everything goes to stderr but the addresses, which `up` prints itself.

umask 022
engines_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/quipu # What was fetched or built; stays.
run=$cache/run                              # Process ids and logs.
data=$run/data                              # What the engines keep; `down --wipe` drops it.
all_engines=(eventstore mongodb kafka rabbitmq)

say() { echo "engines: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

# One `up` or `down` at a time. Daemons must not inherit descriptor 9, or they would hold the lock.
take_lock() {
  mkdir -p "$cache" "$run" "$data"
  exec 9>"$cache/lock"
  flock --nonblock 9 || {
    say 'another up or down is at work: waiting for it'
    flock --timeout 900 9 || fail 'it took longer than 15 minutes: giving up'
  }
}

# fetched NAME INPUT... -- COMMAND...: prints the folder in which COMMAND, given an empty folder as its last argument,
# has left what the input files ask for. Other inputs get another folder; a half-finished one is never taken for a whole.
fetched() {
  local name=$1 inputs=() whole partial
  shift
  while [[ $1 != -- ]]; do
    inputs+=("$engines_dir/$1")
    shift
  done
  shift
  whole=$cache/$name-$(cat "${inputs[@]}" | sha256sum | cut -c 1-12)
  if [[ ! -d $whole ]]; then
    say "$name: fetching, once"
    partial=$cache/partial-$name
    rm -rf --one-file-system "$partial"
    mkdir "$partial"
    "$@" "$partial" >"$run/fetch-$name.log" 2>&1 || give_up "fetch-$name" 'failed'
    mv "$partial" "$whole"
  fi
  echo "$whole"
}

# ensure NAME: NAME runs and answers, within 180 s: a busy machine takes its time. Uses NAME_start, NAME_answers and NAME_port.
# A process that was just killed may hold its port or its shared memory a little longer: the start waits, and is tried again.
ensure() {
  local name=$1 port=$1_port since=$SECONDS starts=0
  until is_running "$name" && "${name}_answers"; do
    if ((SECONDS - since > 180)); then give_up "$name" 'did not answer within 180 s'; fi
    if ! is_running "$name"; then
      if ((starts == 5)); then give_up "$name" 'does not stay up'; fi
      if ((starts > 0)); then sleep 2; fi
      if ! listening "${!port}"; then
        say "$name: starting"
        "${name}_start"
        starts=$((starts + 1))
      elif ((SECONDS - since > 10)); then
        fail "port ${!port}, meant for $name, is taken by something that infra/engines/up did not start"
      fi
    fi
    sleep 0.2
  done
}

give_up() {
  say "$1 $2. The end of $run/$1.log:"
  tail -n 30 "$run/$1.log" >&2 || true
  exit 1
}

# launch NAME COMMAND...: starts a daemon. COMMAND must stay in the foreground and keep its process id.
launch() {
  local name=$1
  shift
  setsid "$@" </dev/null >>"$run/$name.log" 2>&1 9>&- &
  started_at $! >"$run/$name.started"
  echo $! >"$run/$name.pid"
}

# Whether the process that `launch` started as NAME is still that process, and alive.
is_running() {
  local pid started
  { read -r pid <"$run/$1.pid" && read -r started <"$run/$1.started"; } 2>/dev/null || return 1
  [[ $(started_at "$pid") == "$started" ]]
}

# Boot and start time of a process: with them its id is unique for ever. Nothing for one that is dead or a zombie.
started_at() {
  local stat state start
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  # After the name, which may hold blanks and parentheses: state is field 3, start time is field 22.
  read -r state _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ start _ <<<"${stat##*) }"
  if [[ $state != [ZX] ]]; then echo "$(cat /proc/sys/kernel/random/boot_id) $start"; fi
}

# stop NAME SIGNAL: ends what `launch` started, gently for 20 s.
stop() {
  local name=$1 signal=$2 pid
  if is_running "$name"; then
    read -r pid <"$run/$name.pid"
    say "$name: stopping"
    kill "-$signal" "$pid" || true
    for ((i = 0; i < 100; i++)); do
      if ! is_running "$name"; then break; fi
      sleep 0.2
    done
    if is_running "$name"; then
      say "$name: does not stop, killed"
      kill -KILL "$pid" || true
    fi
  fi
  rm -f "$run/$name.pid" "$run/$name.started"
}

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# replies PORT BYTES: whether a server says anything to BYTES (a printf format), the first words of its protocol.
replies() {
  timeout 2 bash -c '
    exec 3<>"/dev/tcp/127.0.0.1/$0"
    printf "$1" >&3
    (($(head -c 1 <&3 | wc -c) == 1))
  ' "$1" "$2" 2>/dev/null
}
