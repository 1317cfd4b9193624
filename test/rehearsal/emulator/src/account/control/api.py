"""Routes below /rehearsal/: JSON in and out, open to everybody in the network of the rehearsal."""

import json
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.wrappers import Request, Response

from account.cloudformation import waiting

Route = Callable[[Any], Any]
"""Gets the JSON of the request and returns the JSON of the answer; None if there is none."""

routes: dict[tuple[str, str], Route] = {}


def control_service(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    request = Request(environ)
    if request.path.startswith(waiting.PATH):
        status, text = waiting.take_signal(
            request.path, request.method, request.headers.get("Content-Type", ""), request.get_data()
        )
        return Response(text, status, mimetype="application/xml")(environ, start_response)
    return _answer(request)(environ, start_response)


def _answer(request: Request) -> Response:
    try:
        route = routes.get((request.method, request.path.removeprefix("/rehearsal")))
        if route is None:
            raise NotFound(f"{request.method} {request.path}")
        result = route(json.loads(request.get_data() or "null"))
    except HTTPException as error:
        return _json({"error": str(error)}, error.code or 500)
    # Any error in a request: the rehearsal shows it.
    except Exception as error:  # noqa: BLE001
        return _json({"error": repr(error)}, 400)
    return _json(result, 200)


def _json(value: Any, status: int) -> Response:
    return Response(json.dumps(value, default=str), status, mimetype="application/json")
