#!/bin/sh
# Usage: hook.sh [--strict] [--wait] <client>
# Hands a hook's event, which is on the standard input, to the host of this session and prints its answer. Both are children of
# the same client, whose process id names the socket. Without a host the client works as if this were not installed; with
# --strict its call is refused. It runs before and after every call, so it starts one program only: curl.
set -u
host='npx vibe-engine'
user=''

strict=''
wait=''
limit=10
while [ $# -gt 1 ]; do
  case $1 in
    --strict) strict=1 ;;
    --wait) wait=1 limit=22 ;;
  esac
  shift
done
client=${1:-}

unreached() {
  cat >/dev/null # The event is read in any case: a client may not like its pipe to be closed.
  [ -n "$strict" ] || exit 0
  echo 'Vibe Engine cannot be reached, and it was installed with --strict: nothing may run unrecorded.' >&2
  exit 2
}

# A host that did not answer in time is not waited for again until it answers, which the person is told once.
hung() {
  : >"$socket.hung"
  [ -z "$strict" ] || unreached
  echo '{"systemMessage":"Vibe Engine does not answer. What happens until it does is not recorded."}'
  exit 0
}

# The one who installed this, which costs no process to know.
[ -n "$user" ] && [ -O "$0" ] || user=''
socket=${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}/vibe-engine-${user:-$(id -u)}}/vibe-engine/$client-$PPID.sock

# The first event of a session may come while its host is starting.
tries=0
while [ -n "$wait" ] && [ ! -S "$socket" ] && [ $tries -lt 30 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
[ -S "$socket" ] && [ -O "$socket" ] && [ ! -e "$socket.hung" ] || unreached

if ! command -v curl >/dev/null 2>&1; then
  export VIBE_ENGINE_SOCKET="$socket"
  eval "$host agent-host $client --hook" 2>/dev/null || unreached
  exit 0
fi

# Where nobody listens at a socket, its host has died, and is being started again: the event has not been sent, and is kept for
# as long as a busy machine needs. Nothing else is sent twice: a host that fails answers 400, and one that hangs takes longer than all
# tries may.
curl -q -sf --noproxy '*' --max-time $limit --retry 8 --retry-connrefused --retry-delay 1 --retry-max-time 8 \
  --unix-socket "$socket" -H 'Expect:' -H 'Content-Type: application/json' --data-binary @- \
  http://localhost/hook 2>/dev/null
case $? in
  0) echo ;;
  7 | 28) hung ;;
  *) unreached ;;
esac
