#!/bin/sh
# Usage: hook.sh [--strict] [--wait] <client>
# Hands a hook's event, which is on the standard input, to the host of this session and prints its answer. Both are children of
# the same client, whose process id names the socket. Without a host the client works as if this were not installed; with
# --strict its call is refused. It runs before and after every call, so it starts one small program only: perl.
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

# Where nobody listens at a socket, its host has died, and is being started again: the event has not been sent, and is kept for
# as long as a busy machine needs. No event is sent twice. Modules would take longer to load than all of this takes.
send='
  my ($path, $limit) = @ARGV;
  local ($/, $SIG{ALRM}) = (undef, sub { exit 28 });
  my $event = <STDIN>;
  my $address = pack $^O eq "linux" ? "S a*" : "x C a*", 1, $path;
  my $tries = 80;
  alarm $limit;
  until (socket(HOST, 1, 1, 0) && connect(HOST, $address)) {
    exit 7 unless $tries--;
    select undef, undef, undef, 0.1;
  }
  alarm $limit;
  my $head = join "\r\n", "POST /hook HTTP/1.0", "Content-Length: " . length $event, "", "";
  my $out = select HOST;
  $| = 1;
  print $head, $event;
  select $out;
  my $answer = <HOST>;
  exit 22 unless $answer =~ s/^HTTP\S+ 200 .*?\r\n\r\n//s;
  print "$answer\n";
'
if command -v perl >/dev/null 2>&1; then
  PERL5OPT='' PERL5LIB='' PERL_UNICODE=0 perl -e "$send" "$socket" "$limit" 2>/dev/null
else
  export VIBE_ENGINE_SOCKET="$socket"
  eval "$host agent-host $client --hook --limit=$limit" 2>/dev/null
fi
case $? in
  0) ;;
  7 | 28) hung ;;
  *) unreached ;;
esac
