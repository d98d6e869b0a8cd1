#!/usr/bin/env bash
# inside.sh TREE KEPT USER FOLDER COMMAND [NAME=VALUE...]: runs COMMAND in FOLDER of TREE as USER, with TREE as the root
# folder, KEPT/archives and KEPT/ccache in it, and only the named variables. Mounts and processes live in namespaces of
# their own: both are gone when the command ends, also when it is killed.
set -euo pipefail
if [[ ${1:-} != --mounted ]]; then
  exec unshare --mount --propagation private --pid --fork --kill-child -- bash "${BASH_SOURCE[0]}" --mounted "$@"
fi
shift
tree=$1 kept=$2 user=$3 folder=$4 command=$5
shift 5

mount --bind "$tree" "$tree"  # pivot_root moves only what is mounted
cd "$tree"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys 2>/dev/null || mount --rbind /sys sys
mount -t tmpfs -o mode=755 dev dev
for device in null zero full random urandom tty; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t tmpfs -o mode=1777 tmp tmp
mount -t tmpfs -o mode=755 run run
mkdir -p run/lock var/cache/ccache
chmod 1777 run/lock
mount --bind "$kept/archives" var/cache/apt/archives
mount --bind "$kept/ccache" var/cache/ccache

# Not chroot alone: a process in a chroot may not make user namespaces, one on a real machine may.
pivot_root . mnt
cd /
umount -l /mnt
if [[ $user == root ]]; then
  who=() home=/root path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
else
  who=(setpriv "--reuid=$user" "--regid=$user" --init-groups)
  home=/home/$user path=/usr/local/bin:/usr/bin:/bin
fi
# shellcheck disable=SC2016  # the inner shell expands these
exec chroot . "${who[@]}" env -i "HOME=$home" "PATH=$path" "USER=$user" "LOGNAME=$user" "TERM=${TERM:-dumb}" "$@" \
  bash -c 'trap "exit 130" INT TERM; cd "$1"; eval "$2"' bash "$folder" "$command"
