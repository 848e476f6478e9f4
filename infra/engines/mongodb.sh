# The MongoDB wire protocol: FerretDB over PostgreSQL with the DocumentDB extension. Not MongoDB's own server.
# PostgreSQL lives in a small Debian of its own, because the extension is packaged for a later release than most machines run.

mongodb_url='MONGODB_URL=mongodb://127.0.0.1:27017/'
postgres_port=5435
ferretdb_port=27017

mongodb_needs() {
  need debootstrap debootstrap
  if ! [[ $(go version 2>/dev/null) =~ go1\.(2[5-9]|[3-9][0-9]) ]]; then fail 'mongodb: Go 1.25 or later is needed to build FerretDB'; fi
}

mongodb_up() {
  say 'mongodb: this is FerretDB over DocumentDB, not MongoDB'
  # One after the other: built at the same time, each takes longer than both.
  debian=$(fetched documentdb mongodb/debian.sh -- build_debian)
  ferretdb=$(fetched ferretdb mongodb/main.go mongodb/go.mod mongodb/go.sum -- build_ferretdb)
  if [[ ! -d $data/postgres ]]; then init_postgres; fi
  ensure postgres
  local extension
  for extension in documentdb documentdb_extended_rum; do
    in_debian psql "$(postgres_address)" -qc "set client_min_messages = warning; create extension if not exists $extension cascade" >&2
  done
  ensure ferretdb
}

mongodb_down() {
  stop ferretdb TERM
  stop postgres INT # SIGTERM would wait for its clients.
}

build_debian() {
  local mirror
  mirror=$(debian_mirror)
  if [[ -z $mirror ]]; then
    apt-get update -q
    mirror=$(debian_mirror)
  fi
  unshare --mount bash "$engines_dir/mongodb/debian.sh" "$1" "${mirror:?no Debian mirror in the apt sources}"
}

# The one that the machine's own apt uses.
debian_mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' | sed -n 's/^Debian|Debian|//p' | sort -u | head -n 1
}

build_ferretdb() { (cd "$engines_dir/mongodb" && go build -o "$1/ferretdb" .); }

# in_debian COMMAND...: as postgres, in its Debian, with the data folder at /data.
in_debian() { unshare --mount bash -euc "$enter_debian" "$debian" "$data" "$@"; }
enter_debian='
  mount -t proc proc "$0/proc"
  mount -t tmpfs tmpfs "$0/dev/shm"
  mount --bind "$1" "$0/data"
  debian=$0
  shift
  exec chroot --userspec=postgres:postgres "$debian" /usr/bin/env -i LC_ALL=C.UTF-8 \
    PATH=/usr/lib/postgresql/18/bin:/usr/bin:/bin "$@"
'
postgres_address() { echo "postgres://postgres@127.0.0.1:$postgres_port/postgres"; }

# In a folder with another name until it is whole.
init_postgres() {
  rm -rf "$data/postgres-partial"
  mkdir "$data/postgres-partial"
  chroot "$debian" id -u postgres | xargs -I{} chown {} "$data/postgres-partial"
  in_debian initdb --auth=trust --username=postgres --locale=C.UTF-8 /data/postgres-partial >"$run/initdb.log" 2>&1 ||
    fail "PostgreSQL's initdb failed: see $run/initdb.log"
  mv "$data/postgres-partial" "$data/postgres"
}

# As shipped, DocumentDB reads every row that a filter leaves and sorts them for one page. With these settings a page walks its
# index in order, as on MongoDB: an index method that can scan in order; no terms that join the paths below one member, which
# keep an order from an index; a record of which paths hold arrays, without which none of an index with one has an order; and
# no bitmap scans or sorts where an index will do, which PostgreSQL prefers while it has no statistics of a collection. The first
# three decide how indexes are built: those that were made before stay as they are.
postgres_start() {
  launch postgres unshare --mount bash -euc "$enter_debian" "$debian" "$data" postgres -D /data/postgres -p $postgres_port \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 \
    -c log_min_messages=warning -c cron.log_run=off -c cron.log_statement=off \
    -c shared_preload_libraries=pg_cron,pg_documentdb_core,pg_documentdb,pg_documentdb_extended_rum -c cron.database_name=postgres \
    -c documentdb.alternate_index_handler_name=extended_rum \
    -c documentdb.enableCompositeReducedCorrelatedTermsOnCommonSubPath=off \
    -c documentdb.enableIndexMetadataGlobalTracking=on -c enable_bitmapscan=off -c enable_sort=off
}
postgres_answers() { in_debian pg_isready -q -d "$(postgres_address)"; }

ferretdb_start() {
  mkdir -p "$data/ferretdb"
  launch ferretdb "$ferretdb/ferretdb" -listen 127.0.0.1:$ferretdb_port -state "$data/ferretdb" -postgres "$(postgres_address)"
}
# An OP_MSG with {ping: 1, $db: 'admin'}.
ferretdb_answers() {
  replies $ferretdb_port '\x33\0\0\0\1\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0\x1e\0\0\0\x10ping\0\1\0\0\0\2$db\0\6\0\0\0admin\0\0'
}
