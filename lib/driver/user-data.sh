# Everything above comes from user-data.ts and stays the same from deploy to deploy: changed user data would stop and start
# the driver in mid-experiment. What does change, the runner and the experiment, is found through the binding.
set -euo pipefail

log=/var/log/pgduet/boot.log
binding=/etc/pgduet/binding.json
step='starting'
reason=''
# Where the next signal goes.
signal_url=$boot_url

mkdir -p /etc/pgduet /opt/pgduet /var/log/pgduet
touch "$log"
exec >>"$log" 2>&1

# UTF-8, so that a reason that is cut off ends with a whole character.
export AWS_DEFAULT_REGION="$region" AWS_MAX_ATTEMPTS=3 AWS_RETRY_MODE=standard LC_ALL=C.UTF-8

# Otherwise, an address that swallows everything would take a minute each time, and there would be no time to say so.
aws() {
  timeout 300 aws --cli-connect-timeout 10 "$@"
}

# The wait condition, unlike a resource signal, shows the reason in the events of the stack. This needs no package: the
# reason may be that there are none.
signal() {
  local reason
  reason=$(tr '[:cntrl:]' ' ' <<<"$2")
  reason=${reason//\\/\\\\}
  printf '{"Status": "%s", "Reason": "%s", "UniqueId": "driver", "Data": ""}' "$1" "${reason//\"/\\\"}" |
    curl --silent --show-error --fail --retry 5 --retry-all-errors --max-time 60 \
      --request PUT --header 'Content-Type:' --data-binary @- "$signal_url"
}

finish() {
  local status=$? where=''
  if [ "$status" -eq 0 ]; then return; fi
  if [ -z "$reason" ]; then reason=$(tail -n 3 "$log" | tr '\n' ' '); fi
  if [ -s "$binding" ]; then
    where=$(jq --raw-output '"s3://" + .results.bucket + "/" + .results.prefix + "driver/boot.log"' "$binding" || true)
    if ! timeout 60 aws s3 cp --only-show-errors "$log" "$where"; then where=''; fi
  fi
  signal FAILURE "While $step: ${reason:0:1500}. Log: ${where:-$log on the driver}" || echo 'CloudFormation was not told.'
}
trap finish EXIT
# User data runs only once. A driver that is shut down before its run has begun never begins it.
trap 'reason="the driver was shut down or restarted"; exit 143' TERM

# Fresh permissions and routes take a moment until they hold everywhere.
retry() {
  local pause
  for pause in 5 10 20 0; do
    if "$@"; then return 0; fi
    sleep "$pause"
  done
  return 1
}

step='installing packages'
retry dnf install --assumeyes --quiet "${packages[@]}"
for program in "${programs[@]}"; do
  if ! command -v "$program"; then
    reason="$program is missing after installing ${packages[*]}"
    exit 1
  fi
done

step="reading the binding from $parameter"
fetch_binding() {
  aws ssm get-parameter --name "$parameter" --query Parameter.Value --output text >"$binding"
}
retry fetch_binding

for asset in runner experiment; do
  step="fetching the $asset"
  reason="$binding names no $asset"
  address=$(jq --exit-status --raw-output ".assets.$asset" "$binding")
  reason=''
  retry aws s3 cp --only-show-errors "$address" "/opt/pgduet/$asset.zip"
  rm -rf "/opt/pgduet/$asset"
  unzip -q "/opt/pgduet/$asset.zip" -d "/opt/pgduet/$asset"
done
step='saying that it has booted'
signal SUCCESS 'Packages, binding, runner and experiment are there.'
signal_url=$provision_url

# begin.sh calls this before its pre-flight.
await_databases() {
  step='checking what needs no database'
  require preflight --without-databases
  step='saying that only the databases are missing'
  signal SUCCESS 'Everything that needs no database is checked.'
  signal_url=$creation_url
  step='waiting for the databases'
  require await-databases
  step='saying that the databases are made'
  signal SUCCESS 'All databases are made.'
  signal_url=$wait_url
}

step='reading the runner'
# From here on, a later deploy does the same (update.sh).
# shellcheck source=/dev/null
source /opt/pgduet/runner/begin.sh
signal SUCCESS 'The pre-flight passed and the run has begun.'
