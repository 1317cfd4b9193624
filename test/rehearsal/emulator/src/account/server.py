"""The account as a WSGI application, and its servers."""

import sys
import threading
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import BaseWSGIServer, make_server

import account.cloudformation.api
import account.control.routes
import account.databases.api
import account.expiry.state_machines
import account.resources
from account.control.api import control_service
from account.gate.gate import Gate
from account.machines.metadata import metadata_service
from account.names import Place
from account.permissions.administrator import seed_administrator


class QuietHandler(MotoRequestHandler):
    """A handler that keeps connections open, as the real services do, and logs no requests."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Does nothing: requests.jsonl says more."""


def new_account() -> WSGIApplication:
    """The AWS API of an account with nothing in it but its administrator, and the control API."""
    account.cloudformation.api.replace_moto()
    account.databases.api.replace_moto()
    account.expiry.state_machines.complete_moto()
    account.control.routes.open_routes()
    seed_administrator()
    gate = Gate(DomainDispatcherApplication(create_backend_app))

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        controlled = environ["PATH_INFO"].startswith("/rehearsal/")
        return (control_service if controlled else gate)(environ, start_response)

    return application


def bind(address: tuple[str, int], application: WSGIApplication) -> BaseWSGIServer:
    """:param address: host and port; port 0 means any free port"""
    return make_server(*address, application, threaded=True, request_handler=QuietHandler)


def serve(*, metadata_at: tuple[str, int]) -> None:
    """Serves a new account at its Place, and the metadata service, for ever."""
    api = bind(("127.0.0.1", Place.port), new_account())
    metadata = bind(metadata_at, metadata_service)
    threading.Thread(target=metadata.serve_forever, daemon=True).start()
    # Both servers are bound: a connection made from now on is answered.
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    api.serve_forever()
