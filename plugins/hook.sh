#!/bin/sh
# Usage: hook.sh [--strict] [--wait] <client>
# Hands a hook's event, which is on the standard input, to the host of this session and prints its answer. Both are children of
# the same client, whose process id names the socket. Without a host the client works as if this were not installed; with
# --strict its call is refused.
set -u
host='npx vibe-engine'

strict=''
wait=''
while [ $# -gt 1 ]; do
  case $1 in
    --strict) strict=1 ;;
    --wait) wait=1 ;;
  esac
  shift
done
client=${1:-}

# The event is read in any case: a client may not like its pipe to be closed.
event=$(cat)

unreached() {
  [ -n "$strict" ] || exit 0
  echo 'Vibe Engine cannot be reached, and it was installed with --strict: nothing may run unrecorded.' >&2
  exit 2
}

# A host that did not answer in time is not waited for again in this session, which the person is told once.
hung() {
  : >"$socket.hung"
  [ -z "$strict" ] || unreached
  echo '{"systemMessage":"Vibe Engine does not answer, and no longer records this session. Start the agent again to record it."}'
  exit 0
}

socket=${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}/vibe-engine-$(id -u)}/vibe-engine/$client-$PPID.sock

# The first event of a session may come while its host is starting.
tries=0
while [ -n "$wait" ] && [ ! -S "$socket" ] && [ $tries -lt 30 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
[ -S "$socket" ] && [ -O "$socket" ] && [ ! -e "$socket.hung" ] || unreached

if ! command -v curl >/dev/null 2>&1; then
  export VIBE_ENGINE_SOCKET="$socket"
  answer=$(printf '%s' "$event" | eval "$host agent-host $client --hook" 2>/dev/null) || unreached
  printf '%s\n' "$answer"
  exit 0
fi

ask() {
  printf '%s' "$event" | curl -q -sf --noproxy '*' --max-time 25 --unix-socket "$socket" -H 'Expect:' \
    -H 'Content-Type: application/json' --data-binary @- http://localhost/hook 2>/dev/null
}

# Where nobody listens at a socket (7), its host has died, and is being started again.
tries=0
while :; do
  answer=$(ask) && break
  code=$?
  [ $code -ne 28 ] || hung
  [ $code -eq 7 ] && [ $tries -lt 30 ] || unreached
  sleep 0.1
  tries=$((tries + 1))
done
printf '%s\n' "$answer"
