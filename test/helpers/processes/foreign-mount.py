"""Mounts a FUSE file system of the user nobody at a folder, as fusermount does for any user: `foreign-mount.py FOLDER`. Nobody
else may look at it, not even root. It stays until this process ends by the end of its input. Needs root.
"""

import ctypes
import os
import sys

NOBODY = 65534
MNT_DETACH = 2


def main():
    folder = os.fsencode(sys.argv[1])
    libc = ctypes.CDLL(None, use_errno=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id={NOBODY},group_id={NOBODY}"
    if libc.mount(b"foreign", folder, b"fuse", 0, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print("mounted", flush=True)
    sys.stdin.read()
    libc.umount2(folder, MNT_DETACH)


main()
