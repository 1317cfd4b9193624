#!/usr/bin/env bash
# The steps of the action, on a runner of GitHub or on anything that has its variables: GITHUB_STEP_SUMMARY,
# GITHUB_OUTPUT, and to comment GITHUB_API_URL and GITHUB_REPOSITORY. Exits as `pgduet gate` does.
set -euo pipefail
token="$GATE_TOKEN"
# Nothing of the commits that are measured gets it.
unset GATE_TOKEN

if ! command -v pg_config >/dev/null && [ -z "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null)" ] && [ -z "${PGDUET_PG_BINDIR:-}" ]; then
  as_root=$([ "$(id -u)" = 0 ] || echo sudo)
  # Debian's package would start a server of its own.
  $as_root mkdir -p /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' | $as_root tee /etc/postgresql-common/createcluster.d/pgduet.conf >/dev/null
  $as_root apt-get -q update
  $as_root apt-get -q install --yes --no-install-recommends postgresql postgresql-contrib
fi

# A shallow clone has only one of the two commits.
for commit in "$GATE_BASE" "$GATE_HEAD"; do
  git rev-parse --verify --quiet "$commit^{commit}" >/dev/null || git fetch --quiet --depth 1 origin "$commit"
done

files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
code=0
# Options are separated by spaces.
# shellcheck disable=SC2086
npx --no-install pgduet gate "$GATE_EXPERIMENT" --base "$GATE_BASE" --head "$GATE_HEAD" --minutes "$GATE_MINUTES" \
  --summary "$files/summary.md" --junit pgduet-junit.xml --json $GATE_OPTIONS >"$files/gate.json" || code=$?

if [ ! -s "$files/gate.json" ]; then
  echo "::error title=pgduet::pgduet gate ended with exit code $code and without an outcome; its log says why"
  exit "$code"
fi
said() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))[process.argv[2]] ?? ""' "$files/gate.json" "$1"; }
outcome=$(said outcome)
{
  echo "outcome=$outcome"
  echo "name=$(said experiment)"
  echo "results=$(said run)"
} >>"$GITHUB_OUTPUT"
cat "$files/summary.md" >>"$GITHUB_STEP_SUMMARY"
case "$outcome" in
  fail) kind=error ;;
  pass) kind=notice ;;
  *) kind=warning ;;
esac
echo "::$kind title=pgduet $(said experiment)::$(sed -n 3p "$files/summary.md")"

if [ "$GATE_COMMENT" = true ] && [ -n "$GATE_PULL_REQUEST" ]; then
  # Without the right to comment, as in a pull request from a fork, the summary and the exit code are there nevertheless.
  GATE_TOKEN="$token" node "$(dirname "$0")/comment.mjs" "$(said experiment)" "$files/summary.md" ||
    echo '::notice title=pgduet::no comment could be made; the summary of this job has the result'
fi
exit "$code"
