# Everything above comes from user-data.ts and stays the same from deploy to deploy: changed user data would stop and start
# the driver in mid-experiment. What does change, the runner and the experiment, is found through the binding.
set -euo pipefail

log=/var/log/pgduet/boot.log
binding=/etc/pgduet/binding.json
step='starting'
reason=''

mkdir -p /etc/pgduet /opt/pgduet /var/log/pgduet
touch "$log"
exec >>"$log" 2>&1

export AWS_DEFAULT_REGION="$region" AWS_MAX_ATTEMPTS=10 AWS_RETRY_MODE=standard

# The wait condition, unlike a resource signal, shows the reason in the events of the stack.
signal() {
  jq --null-input --arg status "$1" --arg reason "$2" \
    '{Status: $status, Reason: $reason, UniqueId: "driver", Data: ""}' |
    curl --silent --show-error --fail --retry 5 --retry-all-errors --max-time 60 \
      --request PUT --header 'Content-Type:' --data-binary @- "$wait_url"
}

finish() {
  local status=$? where=''
  if [ "$status" -eq 0 ]; then return; fi
  if [ -z "$reason" ]; then reason=$(tail -n 3 "$log" | tr '\n' ' '); fi
  if [ -s "$binding" ]; then
    where=$(jq --raw-output '"s3://" + .results.bucket + "/" + .results.prefix + "driver/boot.log"' "$binding" || true)
    if ! aws s3 cp --only-show-errors "$log" "$where"; then where=''; fi
  fi
  signal FAILURE "While $step: ${reason:0:1500}. Log: ${where:-$log on the driver}" || echo 'CloudFormation was not told.'
}
trap finish EXIT

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
chmod -R a+rX /opt/pgduet /etc/pgduet

step='setting up the service'
install -m 755 /opt/pgduet/runner/pgduet /usr/local/bin/pgduet
install -m 644 /opt/pgduet/runner/pgduet.service /etc/systemd/system/pgduet.service
install -m 644 /opt/pgduet/runner/pgduet-conclude.service /etc/systemd/system/pgduet-conclude.service
cat >/etc/pgduet/environment <<END
AWS_REGION=$region
PGSSLROOTCERT=/opt/pgduet/runner/rds-ca.pem
PGSSLMODE=verify-full
END
if ! id -u pgduet; then
  useradd --system --home-dir /var/lib/pgduet --create-home --shell /usr/sbin/nologin pgduet
fi
systemd-analyze verify /etc/systemd/system/pgduet.service /etc/systemd/system/pgduet-conclude.service
systemctl daemon-reload
systemctl enable pgduet.service

step='running the pre-flight'
# The problems, and only they, are on its standard output.
if ! reason=$(cd /var/lib/pgduet && runuser --user pgduet -- /usr/local/bin/pgduet preflight --binding "$binding"); then
  echo "$reason"
  exit 1
fi

step='starting the run'
systemctl start --no-block pgduet.service
signal SUCCESS 'The pre-flight passed and the run has begun.'
