"""What tests share."""

import threading
from collections.abc import Iterator
from uuid import uuid4

import pytest

from account.cloudformation.stacks import Stacks
from account.names import ADMINISTRATOR_KEY_ID, ADMINISTRATOR_SECRET, Place
from account.server import bind, new_account
from tests.served import Served


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The account as its clients see it, on a free port.

    All tests use the same account, but no test touches what another test made.
    """
    Place.folder = tmp_path_factory.mktemp("account")
    server = bind(("127.0.0.1", 0), new_account())
    Place.port = server.port
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Served(ADMINISTRATOR_KEY_ID, ADMINISTRATOR_SECRET)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def stack(served: Served) -> Iterator[str]:
    """Name of a stack that a test may make. The stack is deleted after the test."""
    name = f"stack-{uuid4()}"
    yield name
    if Stacks.find(name) is not None:
        assert served.destroy(name) == "DELETE_COMPLETE"
