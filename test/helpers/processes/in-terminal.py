"""Runs commands in terminals of given widths. As many run at the same time as there are processors.

Reads from standard input a JSON list of {"args", "columns", "environment", "folder", "answer"}: `columns` is the width
that the terminal tells, which may be 0; null means pipes. `answer` is {"to", "typed"}: what somebody types at the terminal
as soon as it shows this text; null means that nobody is there. Writes a JSON list of {"output", "exitCode"} in the same order;
`output` is what was on the screen: standard output and standard error in the order in which they came.
"""

import concurrent.futures
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios

ROWS = 40


def run(command):
    columns = command["columns"]
    # A terminal of width 0 is still a terminal.
    ours, theirs = os.pipe() if columns is None else pty.openpty()
    if columns is not None:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    answer = command["answer"]
    with subprocess.Popen(
        command["args"],
        stdin=theirs if answer else subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=command["folder"],
        env=command["environment"],
        start_new_session=True,
        # Only the terminal of a session turns Ctrl-C into a signal.
        preexec_fn=(lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)) if answer else None,
    ) as process:
        os.close(theirs)
        output = read_all(ours, answer)
        os.close(ours)
        return {"output": output.decode().replace("\r\n", "\n"), "exitCode": process.wait()}


def read_all(descriptor, answer):
    parts = []
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:
            # A terminal gives this error when its other end is closed.
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)
        if answer and answer["to"].encode() in b"".join(parts):
            os.write(descriptor, answer["typed"].encode())
            answer = None


def main():
    commands = json.load(sys.stdin)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        json.dump(list(pool.map(run, commands)), sys.stdout)


main()
