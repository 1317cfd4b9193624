"""The log files of instances, as clients of RDS read them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from account.databases import logs
from account.databases.records import Databases
from tests.databases.databases import instance
from tests.served import Served

_FILE = {"DBInstanceIdentifier": "db-1", "LogFileName": "error/postgresql.log"}


@pytest.fixture
def rds(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(logs, "_portion_bytes", 20)
    instance()
    log = tmp_path / "server.log"
    log.write_text("one line\nanother line\na third\n")
    served.control("POST", "log", {"identifier": "db-1", "path": str(log)})
    yield served.client("rds")
    Databases.logs.clear()


def test_every_portion_of_a_log_ends_with_a_line(rds: Any) -> None:
    first = rds.download_db_log_file_portion(**_FILE, Marker="0")
    assert (first["LogFileData"], first["AdditionalDataPending"]) == ("one line\n", True)
    rest = rds.download_db_log_file_portion(**_FILE, Marker=first["Marker"])
    assert rest["LogFileData"] == "another line\n"
    last = rds.download_db_log_file_portion(**_FILE, Marker=rest["Marker"])
    assert (last["LogFileData"], last["AdditionalDataPending"]) == ("a third\n", False)


def test_the_list_of_files_can_begin_at_a_time(rds: Any) -> None:
    [listed] = rds.describe_db_log_files(DBInstanceIdentifier="db-1", FileLastWritten=1)["DescribeDBLogFiles"]
    assert (listed["LogFileName"], listed["Size"]) == ("error/postgresql.log", 30)
    later = {"DBInstanceIdentifier": "db-1", "FileLastWritten": listed["LastWritten"] + 1}
    assert rds.describe_db_log_files(**later)["DescribeDBLogFiles"] == []


def test_another_file_or_a_missing_marker_is_refused(rds: Any) -> None:
    with pytest.raises(ClientError, match="DBLogFileNotFoundFault"):
        rds.download_db_log_file_portion(**_FILE | {"LogFileName": "error/other"}, Marker="0")
    with pytest.raises(ClientError, match="InvalidParameterValue"):
        rds.download_db_log_file_portion(**_FILE)
