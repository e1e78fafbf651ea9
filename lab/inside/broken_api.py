"""An API that is out of order: 503 to every request."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lab.inside import places

BODY = b'{"error": {"code": 503, "title": "Service Unavailable", "message": "broken on purpose by lab fault"}}'


class OutOfOrder(BaseHTTPRequestHandler):
    def answer(self) -> None:
        self.send_response(503)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(BODY)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(BODY)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815 (named by http.server)


if __name__ == "__main__":
    ThreadingHTTPServer(("", places.BROKEN_API_PORT), OutOfOrder).serve_forever()
