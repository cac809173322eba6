"""A program that takes the place of vLLM's server: it answers, dies, or never answers, as $FAKE_VLLM says.

It writes its arguments and the ids of its processes to $FAKE_VLLM_NOTES. Like vLLM it has a second process, which
ignores being asked to end.
"""

import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

BEHAVIOUR = os.environ["FAKE_VLLM"]
CHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, format, *args):
        pass

    def do_GET(self):
        name = sys.argv[sys.argv.index("--served-model-name") + 1]
        body = {"data": [{"id": name, "max_model_len": 2048}]} if self.path == "/v1/models" else {}
        self.send_response(401 if BEHAVIOUR == "wants a key" and self.path == "/v1/models" else 200)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main():
    engine = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE)
    engine.stdout.readline()  # it ignores SIGTERM by now
    notes = {
        "arguments": sys.argv[1:],
        "pids": [os.getpid(), engine.pid],
        "variables": {name: value for name, value in os.environ.items() if name.startswith(("VLLM_", "HF_"))},
    }
    Path(os.environ["FAKE_VLLM_NOTES"]).write_text(json.dumps(notes))
    say("(APIServer pid=1) INFO 01-02 03:04:05 [api_server.py:1] the fake begins")
    if BEHAVIOUR == "dies":
        say("(EngineCore pid=2) ERROR 01-02 03:04:05 [core.py:1] Traceback (most recent call last):")
        say('(EngineCore pid=2) ERROR 01-02 03:04:05 [core.py:1]   File "core.py", line 1, in start')
        say("(EngineCore pid=2) ERROR 01-02 03:04:05 [core.py:1] ValueError: no room for the keys and values")
        for number in range(20):
            say(f"line {number}")
        say("RuntimeError: Engine core initialization failed. See root cause above.")
        sys.exit(7)
    if BEHAVIOUR == "never answers":
        time.sleep(600)
    if BEHAVIOUR == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(0.3)  # loading
    server = HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler)
    if BEHAVIOUR == "dies later":
        server.timeout = 5
        for _ in range(2):  # /health and /v1/models
            server.handle_request()
        say("RuntimeError: out of memory")
        sys.exit(1)
    server.serve_forever()


main()
