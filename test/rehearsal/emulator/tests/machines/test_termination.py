"""How a machine learns that its instance is terminated."""

import threading
import time
from pathlib import Path

import pytest

from account.machines.termination import await_orderly_stop
from account.names import Place
from tests.served import eventually


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(Place, "folder", tmp_path)
    return tmp_path


def test_an_instance_that_no_machine_stands_for_is_gone_at_once(folder: Path) -> None:
    await_orderly_stop("i-1")
    assert list(folder.iterdir()) == []


def test_a_machine_is_told_to_stop_and_waited_for(folder: Path) -> None:
    (folder / "i-1.booted").touch()
    waiting = threading.Thread(target=await_orderly_stop, args=["i-1"])
    waiting.start()
    eventually(lambda: True if (folder / "i-1.stop").exists() else None)
    assert waiting.is_alive()
    (folder / "i-1.stopped").touch()
    waiting.join(10)
    assert not waiting.is_alive()


def test_a_machine_that_does_not_stop_is_not_waited_for_longer_than_ec2_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("account.machines.termination._limit_seconds", 0.3)
    (folder / "i-1.booted").touch()
    begin = time.monotonic()
    await_orderly_stop("i-1")
    assert 0.3 <= time.monotonic() - begin < 5
