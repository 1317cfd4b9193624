"""Exchanges two paths again and again, each time at once: `exchange.py FOLDER LINK` lets a symbolic link be where the folder
is. Runs until it is killed.
"""

import ctypes
import os
import sys
import time

AT_FDCWD = -100
RENAME_EXCHANGE = 2


def main():
    one, other = (os.fsencode(path) for path in sys.argv[1:])
    libc = ctypes.CDLL(None)
    print("exchanging", flush=True)
    while True:
        libc.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)
        # Long enough for somebody to look at the folder, short enough that it has changed when they go on.
        time.sleep(0.003)


main()
