# mongodb/debian.sh DIR MIRROR: a small Debian in the empty folder DIR, with PostgreSQL and the DocumentDB extension.
# For `unshare --mount`: the kernel's folders are mounted where the mounts end with this process, never the machine's own
# ones bound in, so that a later `rm -rf DIR` meets none of them.
set -euo pipefail
dir=$1 mirror=$2
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

# A machine's debootstrap may be older than the release: all releases are built like sid.
debootstrap --variant=minbase --include=ca-certificates forky "$dir" "$mirror" /usr/share/debootstrap/scripts/sid
printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d" # Start nothing.
chmod +x "$dir/usr/sbin/policy-rc.d"
mountpoint -q "$dir/proc" || mount -t proc proc "$dir/proc"
chroot "$dir" apt-get install -qy --no-install-recommends postgresql-18 postgresql-18-documentdb
chroot "$dir" apt-get clean
mkdir "$dir/data"
