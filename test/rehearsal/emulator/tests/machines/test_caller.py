"""Which machine asks, found in a made-up /proc."""

from pathlib import Path

import pytest

from account.machines.caller import instance_at

_head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def _line(local: int, remote: int, inode: int) -> str:
    queues = "00000000:00000000 00:00000000 00000000"
    return f"   0: 0100007F:{local:04X} FEA9FEA9:{remote:04X} 01 {queues} 0 0 {inode} 1\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "net").mkdir()
    sockets = _line(40000, 5000, 7) + _line(40000, 80, 8) + _line(40001, 80, 9) + _line(40002, 80, 10)
    (tmp_path / "net/tcp").write_text(_head + sockets)
    groups = {
        "11": "0::/r/i-0123456789abcdef0/system.slice\n",
        "12": "0::/r/i-0fedcba9876543210\n",
        "13": "0::/r\n",
    }
    for (process, group), inode in zip(groups.items(), (8, 9, 10), strict=True):
        (tmp_path / process / "fd").mkdir(parents=True)
        (tmp_path / process / "fd/3").symlink_to(f"socket:[{inode}]")
        (tmp_path / process / "cgroup").write_text(group)
    (tmp_path / "14").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("port", "instance"),
    [(40000, "i-0123456789abcdef0"), (40001, "i-0fedcba9876543210"), (40002, None), (40003, None)],
)
def test_the_machine_is_that_whose_process_has_the_connection(
    proc: Path, port: int, instance: str | None
) -> None:
    assert instance_at(port, proc) == instance
