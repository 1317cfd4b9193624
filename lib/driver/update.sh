# shellcheck shell=bash
# Applies what a later deploy asks for. The timer starts it every minute. It looks only while no run is measuring.
# During a run, the runner itself looks between the trials.
set -euo pipefail

for unit in pgduet.service pgduet-conclude.service; do
  state=$(systemctl show --property ActiveState --value "$unit")
  case $state in active | activating | deactivating | reloading) exit 0 ;; esac
done

# shellcheck source=/dev/null
source /etc/pgduet/environment
# shellcheck disable=SC2153
region=$AWS_REGION parameter=$BINDING_PARAMETER databases_parameter=$DATABASES_PARAMETER
readonly binding=/etc/pgduet/binding.json newest=/run/pgduet-newest-binding.json log=/var/log/pgduet/update.log
export AWS_DEFAULT_REGION="$region" AWS_RETRY_MODE=standard

value_of() { aws ssm get-parameter --name "$1" --query Parameter.Value --output text; }
value_of "$parameter" >"$newest"
if cmp --silent "$newest" "$binding"; then exit 0; fi
deploy_of() { jq --raw-output .deploy "$1"; }
if [ "$(deploy_of "$newest")" = "$(deploy_of "$binding")" ]; then
  # The measurement stays the same, for example if only the stack's lifetime has changed.
  install -m 644 "$newest" "$binding"
  exit 0
fi
# A deploy changes the binding first, then the databases.
made_for=$(value_of "$databases_parameter")
if [ "$made_for" != "$(deploy_of "$newest")" ]; then
  echo "The databases are still those of deploy $made_for: waiting until CloudFormation has changed them."
  exit 0
fi
await_databases() { :; }

step='starting'
reason=''
exec >"$log" 2>&1

finish() {
  local status=$? where
  if [ "$status" -eq 0 ]; then return; fi
  echo "While $step: ${reason:-see above}"
  where=$(jq --raw-output '"s3://" + .results.bucket + "/" + .results.prefix + "driver/update.log"' "$binding")
  aws s3 cp --only-show-errors "$log" "$where" || echo "The log stays in $log."
}
trap finish EXIT

for asset in runner experiment; do
  step="fetching the $asset"
  address=$(jq --exit-status --raw-output ".assets.$asset" "$newest")
  # The permission may arrive a moment later than the binding. The timer then tries again in a minute.
  aws s3 cp --only-show-errors "$address" "/opt/pgduet/$asset.zip"
done
step='unpacking'
for asset in runner experiment; do
  rm -rf "/opt/pgduet/$asset"
  unzip -q "/opt/pgduet/$asset.zip" -d "/opt/pgduet/$asset"
done
install -m 644 "$newest" "$binding"

# Without this, a unit that has failed too often would not start.
systemctl reset-failed pgduet.service || true
# shellcheck source=/dev/null
source /opt/pgduet/runner/begin.sh
