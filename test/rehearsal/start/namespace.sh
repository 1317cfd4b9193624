#!/bin/sh
# Prepares the network, mount and PID namespaces of the rehearsal: only loopback addresses, scratch space that ends with the
# namespace, and this project's folder with all writes kept apart. Then runs "$@".
set -eu
project=$1
logs=$2
control_group=$3
shift 3
echo 0 >"$control_group/cgroup.procs"
ip link set lo up
ip address add 169.254.169.254/32 dev lo
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/home /mnt/logs /mnt/project /mnt/project-work
mkdir -m 1777 /mnt/tmp
echo '127.0.0.1 localhost' >/mnt/hosts
mount --bind /mnt/hosts /etc/hosts
mount --bind "$logs" /mnt/logs
mount -t overlay overlay -o "lowerdir=$project,upperdir=/mnt/project,workdir=/mnt/project-work" "$project"
cd "$project"
exec "$@"
