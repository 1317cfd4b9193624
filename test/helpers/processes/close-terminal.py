"""Runs a command in a pseudo-terminal, and closes the terminal when a line comes on standard input, as a dropped SSH
connection does, but without the signal that a shell would send. Passes on what the command shows until then. Ends with the
command's exit code, or with 200 and the number of the signal that ended it.
"""

import os
import pty
import subprocess
import sys
import threading


def main():
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        sys.argv[1:], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    closing = threading.Event()

    def wait_for_line():
        sys.stdin.readline()
        closing.set()

    threading.Thread(target=wait_for_line, daemon=True).start()
    os.set_blocking(ours, False)
    while not closing.wait(0.02):
        try:
            shown = os.read(ours, 65536)
        except BlockingIOError:
            continue
        except OSError:
            break
        sys.stdout.buffer.write(shown)
        sys.stdout.buffer.flush()
    os.close(ours)
    code = process.wait()
    sys.exit(code if code >= 0 else 200 - code)


main()
