# shellcheck shell=bash disable=SC2034,SC2154
# Begins the run of a deploy: at the first boot, and after each later deploy. User data and update.sh source this file
# when the runner, experiment and binding are in place. They set $region, $parameter, $databases_parameter and $binding,
# define await_databases, and report $step and $reason if it fails.
chmod -R a+rX /opt/pgduet /etc/pgduet

step='setting up the service'
install -m 755 /opt/pgduet/runner/pgduet /usr/local/bin/pgduet
units=(pgduet.service pgduet-conclude.service pgduet-update.service pgduet-update.timer)
# Otherwise, settings of an earlier deploy would remain in force.
rm -rf /etc/systemd/system/pgduet*.service.d
cp --recursive /opt/pgduet/runner/units/. /etc/systemd/system
# The file is sourced, so %q keeps each value a single word, whatever it contains.
{
  printf 'AWS_REGION=%q\nBINDING_PARAMETER=%q\n' "$region" "$parameter"
  printf 'DATABASES_PARAMETER=%q\n' "$databases_parameter"
  # What is downloaded before the databases are made is there for the run, whose HOME may be another one.
  printf 'XDG_CACHE_HOME=/var/lib/pgduet/.cache\n'
  printf 'PGSSLROOTCERT=/opt/pgduet/runner/rds-ca.pem\nPGSSLMODE=verify-full\n'
} >/etc/pgduet/environment
if ! id -u pgduet; then
  useradd --system --home-dir /var/lib/pgduet --create-home --shell /usr/sbin/nologin pgduet
fi
systemd-analyze verify "${units[@]/#//etc/systemd/system/}"
systemctl daemon-reload

# Runs a command of pgduet that ends the deploy if it finds problems.
require() {
  # Its standard output has the problems, and nothing else.
  if reason=$(cd /var/lib/pgduet && runuser --user pgduet -- /usr/local/bin/pgduet "$@" --binding "$binding"); then return; fi
  echo "$reason"
  exit 1
}
await_databases
step='running the pre-flight'
require preflight

step='starting the run'
# Not before: a driver that restarts must not begin a run on databases that nobody has checked.
systemctl enable pgduet.service
systemctl start --no-block pgduet.service
systemctl enable --now pgduet-update.timer
