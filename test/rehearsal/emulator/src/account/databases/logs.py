"""The log files of instances. Each is the log of the server that stands in for the instance."""

from pathlib import Path
from typing import Any

from moto.rds.exceptions import RDSClientError

from account.databases.records import Databases, Record

_FILE = "error/postgresql.log"
"""RDS begins a new file every hour; here one file holds all."""
_portion_bytes = 1_000_000


def log_files(identifier: str, written_since: int) -> list[Record]:
    """:param written_since: in milliseconds"""
    path = _path(identifier)
    if path is None:
        return []
    found = path.stat()
    last_written = int(found.st_mtime * 1000)
    if last_written < written_since:
        return []
    return [{"LogFileName": _FILE, "LastWritten": last_written, "Size": found.st_size}]


def log_portion(identifier: str, name: str, marker: str) -> Record:
    """The lines that begin at a marker. Without a marker, RDS returns the last lines; the emulator refuses.

    RDS also ends a portion at 10,000 lines.
    """
    path = _path(identifier)
    if path is None or name != _FILE:
        raise RDSClientError("DBLogFileNotFoundFault", f"DBLog File: {name}, is not found on the DB instance")
    if not marker.isdigit():
        raise RDSClientError("InvalidParameterValue", f"a portion of a log from the marker {marker!r}")
    with path.open("rb") as log:
        log.seek(int(marker))
        data = log.read(_portion_bytes)
        more = bool(log.read(1))
    # A portion ends with a whole line, except at the end of the file.
    whole = data[: data.rfind(b"\n") + 1] if more else data
    return {
        "LogFileData": whole.decode(errors="replace"),
        "Marker": str(int(marker) + len(whole)),
        "AdditionalDataPending": more,
    }


def _path(identifier: str) -> Path | None:
    Databases.instance(identifier)
    return Databases.logs.get(identifier)


def set_log(body: dict[str, Any]) -> None:
    """Takes `{"identifier", "path"}`: where the log of an instance is."""
    Databases.instance(body["identifier"])
    Databases.logs[body["identifier"]] = Path(body["path"])
