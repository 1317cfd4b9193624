"""The shutdown of a machine before its instance is gone."""

import time

from account.names import Place

_limit_seconds = 240


def await_orderly_stop(instance_id: str) -> None:
    """Asks the machine that stands for an instance to shut down, and gives it as long as EC2 does.

    The machine says ``ID.booted`` when it has begun, is told ``ID.stop``, and says ``ID.stopped`` when it is
    down: files in the folder of the emulator. An instance that no machine stands for is gone at once.
    """
    if not (Place.folder / f"{instance_id}.booted").exists():
        return
    (Place.folder / f"{instance_id}.stop").touch()
    deadline = time.monotonic() + _limit_seconds
    while not (Place.folder / f"{instance_id}.stopped").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
