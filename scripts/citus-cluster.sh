#!/bin/sh
# Builds Citus from a source tree, and runs a coordinator and workers on this machine to try Kontor on (docs/scale.md).
#
#   CITUS_SOURCE=/path/to/citus scripts/citus-cluster.sh build
#                                  compiles, and installs into the PostgreSQL of PG_CONFIG
#   scripts/citus-cluster.sh start    makes the cluster, or starts nodes that were stopped or killed
#   scripts/citus-cluster.sh kill 1   ends node 1 as kill -9 does; node 0 is the coordinator
#   scripts/citus-cluster.sh stop     stops all nodes
#   scripts/citus-cluster.sh drop     deletes them
#
# Only this machine can connect, as any role and without a password: never keep real data in this cluster.
set -eu

: "${PG_CONFIG:=/usr/lib/postgresql/17/bin/pg_config}"
: "${CITUS_DIR:=./data/citus}"
: "${CITUS_PORT:=9700}"
: "${CITUS_WORKERS:=2}"
: "${CITUS_SHARDS:=32}"
# `off` is quicker, and loses data if the machine stops.
: "${CITUS_FSYNC:=on}"
command=${1:-}
nodes=$(seq 0 "$CITUS_WORKERS")

fail() { echo "$*" >&2; exit 1; }
[ -x "$PG_CONFIG" ] || fail "$PG_CONFIG is missing: install postgresql-server-dev-17, or set PG_CONFIG."
bin=$("$PG_CONFIG" --bindir)

# PostgreSQL refuses to run as root.
as_server() {
  if [ "$(id -u)" != 0 ]; then "$@"; else HOME=/ setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; fi
}
folder_of() { echo "$CITUS_DIR/node$1"; }
port_of() { echo $((CITUS_PORT + $1)); }
ask() {
  port=$(port_of "$1")
  shift
  "$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$port" -U postgres "$@"
}
is_running() { as_server "$bin/pg_ctl" -D "$(folder_of "$1")" status > /dev/null 2>&1; }

build() {
  [ -n "${CITUS_SOURCE:-}" ] || fail 'CITUS_SOURCE must name the source of Citus, such as a checkout of v14.0.1.'
  source=$(cd "$CITUS_SOURCE" && pwd)
  rm -rf "$CITUS_DIR/build"
  mkdir -p "$CITUS_DIR/build"
  cp -R "$source/." "$CITUS_DIR/build"
  cd "$CITUS_DIR/build"
  # A fresh checkout may look as if configure were out of date, and to make it again takes autoconf.
  touch configure src/include/citus_config.h.in
  # libcurl would only report statistics to the makers of Citus.
  ./configure --quiet --without-libcurl PG_CONFIG="$PG_CONFIG"
  make --silent -j"$(nproc)" extension
  make --silent install-extension
}

make_node() {
  folder=$(folder_of "$1")
  mkdir -p "$folder"
  [ "$(id -u)" != 0 ] || chown postgres "$folder"
  as_server "$bin/initdb" --pgdata="$folder" --username=postgres --auth=trust --encoding=UTF8 --locale=C \
    --locale-provider=builtin --builtin-locale=C.UTF-8 --text-search-config=simple --no-sync > /dev/null 2>&1
  as_server tee -a "$folder/postgresql.conf" > /dev/null <<SETTINGS
listen_addresses = '127.0.0.1'
port = $(port_of "$1")
unix_socket_directories = ''
shared_preload_libraries = 'citus'
wal_level = logical
fsync = $CITUS_FSYNC
max_connections = 300
max_prepared_transactions = 300
max_worker_processes = 100
citus.shard_count = $CITUS_SHARDS
citus.enable_statistics_collection = off
citus.node_conninfo = 'sslmode=disable'
SETTINGS
}

start_node() {
  folder=$(folder_of "$1")
  is_running "$1" && return
  as_server "$bin/pg_ctl" -D "$folder" -l "$folder/log" -w start > /dev/null ||
    fail "node $1 did not start: see $folder/log"
}

# The role of the service is no superuser. On each node it may have a database of its own, which the coordinator knows.
join_nodes() {
  for node in $nodes; do
    ask "$node" -d postgres -c "set citus.enable_ddl_propagation = off" -c "create role kontor login createdb"
    ask "$node" -d postgres -c "create database kontor owner kontor" 2> /dev/null
    ask "$node" -d kontor -c "create extension citus"
  done
  ask 0 -d kontor -c "select citus_set_coordinator_host('127.0.0.1', $(port_of 0))" > /dev/null
  for node in $nodes; do
    [ "$node" = 0 ] || ask 0 -d kontor -c "select citus_add_node('127.0.0.1', $(port_of "$node"))" > /dev/null
  done
  # All data belongs on the workers.
  ask 0 -d kontor -c "select citus_set_node_property('127.0.0.1', $(port_of 0), 'shouldhaveshards', false)" > /dev/null
}

start() {
  isNew=no
  [ -d "$(folder_of 0)" ] || isNew=yes
  for node in $nodes; do
    [ -d "$(folder_of "$node")" ] || make_node "$node"
    start_node "$node"
  done
  [ "$isNew" = no ] || join_nodes
  echo "postgres://kontor@127.0.0.1:$CITUS_PORT/kontor"
}

kill_node() {
  pid=$(head -1 "$(folder_of "$1")/postmaster.pid")
  # The server's other processes end by themselves once the first is gone, as after a crash of the machine.
  kill -9 "$pid"
}

stop() {
  for node in $nodes; do
    if is_running "$node"; then as_server "$bin/pg_ctl" -D "$(folder_of "$node")" -m fast -w stop > /dev/null; fi
  done
}

case $command in
  build) build ;;
  start) start ;;
  kill) kill_node "${2:?which node?}" ;;
  stop) stop ;;
  drop) stop; for node in $nodes; do rm -rf "$(folder_of "$node")"; done ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
