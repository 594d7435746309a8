#!/usr/bin/env bash
# Every system, interleaved; about 45 minutes on two cores. Needs ./run.sh build and ./pg.sh start first.
# ./measure.sh [limits|drain|long|latency|clients|settled|rows] runs one part (the last three only if named). Rounds are interleaved (each
# system once, three times over), since a shared machine's speed drifts. Results: one JSON line a run in work/results.jsonl
# (peers) and work/limits.jsonl.
set -uo pipefail
cd "$(dirname "$0")"
mkdir -p work
fjp=-Djava.util.concurrent.ForkJoinPool.common.parallelism=2
drain() {
  for i in 1 2 3; do
    ./run.sh drain pg-boss batch=500 workers=4 runs=1
    ./run.sh drain graphile-worker concurrency=64 localQueue=500 completeDelay=50 runs=1
    ./run.sh drain graphile-worker concurrency=32 runs=1
    ./run.sh drain db-scheduler threads=16 pool=16 http=apache runs=1
    ./run.sh drain transaction-outbox threads=32 http=apache runs=1
    ./run.sh drain jobrunr workers=32 http=apache runs=1
    ./run.sh drain reference http=raw window=512 runs=1
    ./run.sh drain reference http=apache window=256 runs=1
    PEERS_JVM_OPTS=$fjp ./run.sh drain reference http=jdk window=256 runs=1
  done
}
long() {
  for i in 1 2 3; do
    ./run.sh drain pg-boss batch=500 workers=4 runs=1 n=100000
    ./run.sh drain graphile-worker concurrency=64 localQueue=500 completeDelay=50 runs=1 n=100000
    ./run.sh drain reference http=raw window=512 runs=1 n=100000
    ./run.sh drain reference http=apache window=256 runs=1 n=100000
    PEERS_JVM_OPTS=$fjp ./run.sh drain reference http=jdk window=256 runs=1 n=100000
  done
}
limits() {
  ./run.sh receiver & local receiver=$!
  sleep 2
  for i in 1 2 3; do
    ./run.sh http http=raw window=64 connections=64
    ./run.sh http http=raw window=256 connections=256
    ./run.sh http http=apache window=64
    ./run.sh http http=apache window=256
    PEERS_JVM_OPTS=$fjp ./run.sh http http=jdk window=64 fjp=2
    PEERS_JVM_OPTS=$fjp ./run.sh http http=jdk window=256 fjp=2
    ./run.sh http http=jdk window=64
  done
  kill "$receiver"
  for c in 1 2 4; do ./run.sh db batch=100 connections="$c"; done
  for c in 4 16; do ./run.sh db batch=1 connections="$c"; done
}
clients() {
  ./run.sh receiver & local receiver=$!
  sleep 2
  for i in 1 2 3; do for w in 64 256; do
    ./run.sh http http=raw window="$w" connections="$w"
    for h in apache netty ahc vertx reactor jetty; do ./run.sh http http="$h" window="$w"; done
    PEERS_JVM_OPTS=$fjp ./run.sh http http=jdk window="$w" fjp=2
  done; done
  for h in raw apache netty ahc vertx reactor jetty; do ./run.sh http http="$h" window=64 rounds=12; done
  kill "$receiver"
  for n in 20000 100000; do for i in 1 2 3; do
    ./run.sh drain reference http=raw window=512 runs=1 n="$n"
    for h in apache netty ahc vertx jetty; do ./run.sh drain reference http="$h" window=256 runs=1 n="$n"; done
    for h in apache netty; do ./run.sh drain reference http="$h" window=512 connections=64 runs=1 n="$n"; done
  done; done
}
latency() {
  for p in reference graphile-worker pg-boss db-scheduler; do
    ./run.sh latency "$p" separate=true
  done
  ./run.sh latency pg-boss
  ./run.sh latency graphile-worker
  ./run.sh latency db-scheduler immediate=true http=apache
  ./run.sh latency transaction-outbox http=apache
  ./run.sh latency jobrunr separate=true
}
settled() {
  for i in 1 2 3; do
    for form in "" lots=true; do ./run.sh drain ringfence settled=200000 n=100000 runs=1 $form; done
    ./run.sh drain graphile-worker settled=200000 n=100000 concurrency=64 localQueue=500 completeDelay=50 runs=1
    ./run.sh drain db-scheduler settled=200000 n=100000 threads=16 pool=16 http=apache runs=1
    ./run.sh drain reference settled=200000 n=100000 http=raw window=512 runs=1
  done
}
rows() {
  ./run.sh ingest
  ./run.sh latency ringfence warm=200 jobs=1000 every=20 runs=1
  ./run.sh latency graphile-worker warm=200 jobs=1000 every=20 runs=1
  ./run.sh latency ringfence recorder=other warm=200 jobs=1000 every=20 runs=1
  ./run.sh recovery
  ./run.sh nodes
  ./run.sh heap
  ./run.sh bloat
  ./run.sh isolation
  ./run.sh isolation kind=failing
  ./run.sh fairness noisy=1000000 rounds=1
  for s in empty waiting finished; do ./run.sh scale fill=$s; done
  ./run.sh scale
}
for part in ${1:-limits drain long latency}; do
  if [ "$part" = limits ] || [ "$part" = clients ]; then "$part" | tee -a work/limits.jsonl; else "$part"; fi
done
