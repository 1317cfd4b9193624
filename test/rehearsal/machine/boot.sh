#!/bin/sh
# Boots the machine whose root file system is $1, as PID 1 of namespaces of its own. It mounts what a container manager
# mounts, and then starts the real systemd. Of the host’s units, the machine sees only those that are listed for it.
set -eu
root=$1
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
# Every boot of a machine has an id of its own, by which it tells what was running before its power went.
cat /proc/sys/kernel/random/uuid >"$root/run/boot_id"
mount --bind "$root/run/boot_id" "$root/proc/sys/kernel/random/boot_id"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
hostname driver
exec chroot "$root" /usr/bin/env -i container=rehearsal PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
  SYSTEMD_UNIT_PATH=/etc/systemd/system:/rehearsal/units \
  /lib/systemd/systemd --system --log-target=console --show-status=0
