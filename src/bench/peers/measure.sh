#!/usr/bin/env bash
# Every system, interleaved; about 45 minutes on two cores. Needs ./run.sh build and ./pg.sh start first.
# ./measure.sh [limits|drain|long|latency|clients] runs one part (clients only if named, 20 minutes). Rounds are interleaved (each
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
for part in ${1:-limits drain long latency}; do
  if [ "$part" = limits ] || [ "$part" = clients ]; then "$part" | tee -a work/limits.jsonl; else "$part"; fi
done
