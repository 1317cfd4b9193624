"""The emulated AWS account of the dress rehearsal.

    python serve.py --port 5000 --folder FOLDER

Serves the AWS API and, below /rehearsal/, its control API on localhost, and instance metadata on
169.254.169.254:80. Prints `ready` when it listens. Writes every request to FOLDER/requests.jsonl. Meant for a
private network namespace.
"""

import argparse
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from moto.core.config import default_user_config

# Before moto's models are imported: without its managed policies, those that roles name do not exist.
default_user_config["iam"]["load_aws_managed_policies"] = True
default_user_config["stepfunctions"]["execute_state_machine"] = True

from moto.moto_server.werkzeug_app import (  # noqa: E402
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import BaseWSGIServer, make_server  # noqa: E402

import account.cloudformation.api  # noqa: E402
import account.cloudformation.waiting  # noqa: E402
import account.control.routes  # noqa: E402
import account.databases.api  # noqa: E402
import account.expiry.state_machines  # noqa: E402
import account.resources.compute  # noqa: E402
import account.resources.databases  # noqa: E402
import account.resources.expiry  # noqa: E402
import account.resources.identity  # noqa: E402
import account.resources.network  # noqa: E402
import account.resources.storage  # noqa: E402, F401
from account.administrator import seed_administrator  # noqa: E402
from account.control.api import control_service  # noqa: E402
from account.gate.gate import Gate  # noqa: E402
from account.machines.metadata import metadata_service  # noqa: E402
from account.names import Place  # noqa: E402


class QuietHandler(MotoRequestHandler):
    """One that keeps connections open, as the real services do, and writes no line for each request."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """requests.jsonl says more."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, default=5000)
    options.add_argument("--folder", type=Path, required=True)
    options.add_argument("--metadata-address", default="169.254.169.254")
    options.add_argument("--metadata-port", type=int, default=80)
    chosen = options.parse_args()
    Place.port, Place.folder = chosen.port, chosen.folder
    Place.folder.mkdir(parents=True, exist_ok=True)

    account.cloudformation.api.serve()
    account.databases.api.serve()
    account.expiry.state_machines.serve()
    account.control.routes.serve()
    seed_administrator()
    gate = Gate(DomainDispatcherApplication(create_backend_app))

    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        controlled = environ["PATH_INFO"].startswith("/rehearsal/")
        return (control_service if controlled else gate)(environ, start_response)

    servers = [
        make_server("127.0.0.1", chosen.port, application, threaded=True, request_handler=QuietHandler),
        make_server(
            chosen.metadata_address,
            chosen.metadata_port,
            metadata_service,
            threaded=True,
            request_handler=QuietHandler,
        ),
    ]
    _serve_all(servers)


def _serve_all(servers: list[BaseWSGIServer]) -> None:
    for server in servers[1:]:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    # Bound already, so that a connection made from now on is answered.
    print("ready", flush=True)
    try:
        servers[0].serve_forever()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
