"""Receive deliveries, with the standard library only: python receive_webhooks.py, with the secret in SECRET."""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from signalpost_client import InvalidDelivery, webhooks


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = webhooks.verify(body, dict(self.headers), os.environ["SECRET"])
        except InvalidDelivery as error:
            self.send_error(401, str(error))
            return
        if event["type"] == "post.failed":
            data = event["data"]
            self.log_message("%s: %d of %d failed", data["postId"], data["failed"], data["total"])
        elif event["type"] == "account.disconnected":
            self.log_message("%s has to be connected again", event["data"]["username"])
        self.send_response(204)
        self.end_headers()


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 3000), Receiver).serve_forever()
