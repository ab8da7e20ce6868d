#!/usr/bin/env bash
# Exchanges the signed token of a job for a key, masks the values of an environment and exports them. Values and credentials go
# through pipes and files of this user, never through arguments, which other users of the machine can see.
set -euo pipefail
# Printing what is run would print values before they are masked.
set +x
umask 077

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
body=$work/body

# What a server says must not become a command of the runner: one line, and % is escaped.
fail() {
  local text=${1//%/%25}
  text=${text//$'\r'/ }
  echo "::error title=Reeve::${text//$'\n'/ }"
  exit 1
}

message() { jq -r '.error.message? // .error_description? // .error? // empty' "$body" 2>/dev/null || true; }

# send WHAT ARGUMENT...: a request with the arguments of curl; the response's body is in $body.
send() {
  local what=$1 status
  shift
  status=$(curl -gsS --retry 3 --max-time 30 -o "$body" -w '%{http_code}' "$@" 2>"$work/problem") ||
    fail "$what: $(cat "$work/problem")"
  [ "$status" = 200 ] || fail "$what: refused with $status: $(message)"
  jq -e 'type == "object"' "$body" >/dev/null 2>&1 || fail "$what: expected JSON, got something else: is $server a Reeve?"
}

# Others can see the command line, so the header comes by the standard input.
authorized() {
  local token=$1
  shift
  send "$@" -K - <<<"header = \"Authorization: Bearer $token\""
}

encode() { jq -rn --arg text "$1" '$text | @uri'; }
mask() { [ -z "$1" ] || echo "::add-mask::$1"; }

command -v jq >/dev/null || fail "jq: expected it to be installed"
for name in SERVER TEAM PROJECT ENVIRONMENT; do
  input=INPUT_$name
  [ -n "${!input:-}" ] || fail "$(tr '[:upper:]' '[:lower:]' <<<"$name"): expected a value"
done
server=${INPUT_SERVER%/}

token=${INPUT_TOKEN:-}
if [ -z "$token" ]; then
  [ -n "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" ] ||
    fail "the job has no signed token: expected \`permissions: { id-token: write }\`"
  audience=${INPUT_AUDIENCE:-$server}
  authorized "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" "the signed token" \
    "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=$(encode "$audience")"
  signed=$(jq -r '.value // empty' "$body")
  mask "$signed"
  send "the exchange" "$server/v1/identity/exchange" \
    --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:token-exchange \
    --data-urlencode subject_token_type=urn:ietf:params:oauth:token-type:jwt \
    --data-urlencode "audience=$INPUT_TEAM" --data-urlencode subject_token@- < <(printf %s "$signed")
  token=$(jq -r '.access_token // empty' "$body")
fi
# Anything else could end the header, or the line of the output.
[[ $token =~ ^[A-Za-z0-9._~+/=-]+$ ]] || fail "token: expected an API key of Reeve, without spaces and line ends"
mask "$token"
echo "token=$token" >>"$GITHUB_OUTPUT"
[ "${INPUT_EXPORT:-true}" = true ] || exit 0

case $INPUT_TEAM in
team_*) team=teamId=$INPUT_TEAM ;;
*) team=slug=$INPUT_TEAM ;;
esac
environment=$server/v1/environments/$(encode "$INPUT_PROJECT")/$(encode "$INPUT_ENVIRONMENT")
authorized "$token" "the environment" -G "$environment" --data-urlencode "$team"
jq '[.entries[] | select(.kind == "value") | {(.key): .value}] | add // {}' "$body" >"$work/plain"
authorized "$token" "the values" -G "$environment/values" --data-urlencode "$team" \
  --data-urlencode "${INPUT_NAMES:+names=$INPUT_NAMES}"
if [ "${INPUT_ALLOW_EMPTY:-false}" != true ] && jq -e 'length == 0' "$body" >/dev/null; then
  fail "the values: $INPUT_ENVIRONMENT of $INPUT_PROJECT has none for this credential; allow_empty: true permits that"
fi

# All but plain values as they are in the environment. Each line of a value too, because logs are masked line by line; not very short
# ones, which are everywhere.
jq -r --slurpfile plain "$work/plain" '
  to_entries[] | select($plain[0][.key] != .value) | .value
  | [., (split("\n")[] | split("\r")[] | select(length > 3))] | unique[] | select(test("\\S"))
  | split("%") | join("%25") | split("\r") | join("%0D") | split("\n") | join("%0A") | "::add-mask::" + .' "$body"

# The end of a value is a line that no value can have.
end=reeve_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
jq -r --arg mark "$end" 'to_entries[] | "\(.key)<<\($mark)\n\(.value)\n\($mark)"' "$body" >>"$GITHUB_ENV"
