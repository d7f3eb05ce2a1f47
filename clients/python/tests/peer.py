"""A server on loopback that answers what a test tells it to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, NamedTuple, Optional, Union


class Asked(NamedTuple):
    """A request that came in."""

    method: str
    path: str
    headers: Dict[str, str]
    body: Any


class Answer(NamedTuple):
    """An answer as HTTP has it."""

    status: int
    body: bytes
    headers: Dict[str, str]


def said(value: Any, status: int = 200, **headers: str) -> Answer:
    """JSON."""
    return Answer(status, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})


def problem(status: int, code: str, **more: Any) -> Answer:
    """A problem document; `retry_after` is a header."""
    headers = {"Content-Type": "application/problem+json"}
    if "retry_after" in more:
        headers["Retry-After"] = str(more.pop("retry_after"))
    document = {"type": f"/problems/{code}", "title": code, "status": status, "detail": "why", "code": code, "request_id": "req_1", **more}
    return Answer(status, json.dumps(document).encode(), headers)


def page(status: int, **headers: str) -> Answer:
    """What a proxy shows."""
    return Answer(status, b"<html>sorry</html>", {"Content-Type": "text/html", **headers})


class Raw(NamedTuple):
    """Bytes that are written as they are; then the connection is closed."""

    bytes: bytes


class Hang:
    """No answer until the test lets it go; then this one."""

    def __init__(self, then: Answer):
        self.then = then
        self.came, self.go = threading.Event(), threading.Event()


Scripted = Union[Answer, Raw, Hang]


class Peer:
    """Answers one scripted thing after the other, and the last one for ever."""

    def __init__(self, *script: Scripted):
        self.script: List[Scripted] = list(script)
        self.asked: List[Asked] = []
        self.lock = threading.Lock()
        peer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                sent = self.rfile.read(length)
                asked = Asked(self.command, self.path, dict(self.headers.items()), json.loads(sent) if sent else None)
                scripted = peer.next(asked)
                if isinstance(scripted, Hang):
                    scripted.came.set()
                    scripted.go.wait(30)
                    scripted = scripted.then
                if isinstance(scripted, Raw):
                    self.wfile.write(scripted.bytes)
                    self.close_connection = True
                    return
                self.send_response(scripted.status)
                for name, value in scripted.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(scripted.body)))
                self.end_headers()
                try:
                    self.wfile.write(scripted.body)
                except OSError:
                    pass

            do_GET = do_POST = answer

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                # Clients that do not wait for their answer are what these tests are about.
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def next(self, asked: Asked) -> Scripted:
        with self.lock:
            self.asked.append(asked)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def sent(self, header: str) -> List[Optional[str]]:
        """A header of every request."""
        return [asked.headers.get(header) for asked in self.asked]

    def away(self) -> None:
        """Nothing listens any more."""
        if self.server.socket.fileno() != -1:
            self.server.shutdown()
            self.server.server_close()

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: Any) -> None:
        for scripted in self.script:
            if isinstance(scripted, Hang):
                scripted.go.set()
        self.away()


def nowhere() -> str:
    """An address at which nothing listens."""
    peer = Peer(page(500))
    peer.away()
    return peer.url
