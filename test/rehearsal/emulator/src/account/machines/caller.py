"""Finds the machine that asks. All machines share one network, so their addresses are the same."""

import re
from pathlib import Path

# The control group of a machine has the id of its instance.
_instance = re.compile(r"/(i-[0-9a-f]+)(?:/|$)", re.MULTILINE)
_proc = Path("/proc")


def instance_at(port: int, proc: Path = _proc) -> str | None:
    """:param port: local port of the caller's connection to the metadata service

    :return: id of the instance that has this connection; None if no machine has it
    """
    socket = _socket_of(port, proc)
    for process in proc.glob("[0-9]*") if socket else ():
        if _has_open(process, f"socket:[{socket}]"):
            found = _instance.search(_text(process / "cgroup"))
            return found[1] if found else None
    return None


def _socket_of(port: int, proc: Path) -> str | None:
    """The inode of the socket, from lines such as `0: 0100007F:A0E2 FEA9FEA9:0050 01 ... INODE ...`."""
    suffix = f":{port:04X}"
    for name in ("tcp", "tcp6"):
        for fields in map(str.split, _text(proc / "net" / name).splitlines()[1:]):
            if fields[1].endswith(suffix) and fields[2].endswith(":0050"):
                return fields[9]
    return None


def _has_open(process: Path, socket: str) -> bool:
    try:
        return any(str(file.readlink()) == socket for file in (process / "fd").iterdir())
    except OSError:
        # In the meantime, the process has ended or closed the file.
        return False


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
