"""The shutdown of a machine before its instance is gone."""

import time

from account.names import Place

_limit_seconds = 240


def await_orderly_stop(instance_id: str) -> None:
    """Asks the machine of an instance to shut down, and waits as long as EC2 does.

    They communicate by files in the folder of the emulator: the machine writes ``ID.booted`` when it has
    booted, the emulator writes ``ID.stop``, and the machine writes ``ID.stopped`` when it is down. An
    instance without a machine ends at once.
    """
    if not (Place.folder / f"{instance_id}.booted").exists():
        return
    (Place.folder / f"{instance_id}.stop").touch()
    deadline = time.monotonic() + _limit_seconds
    while not (Place.folder / f"{instance_id}.stopped").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
