"""A Chromium without a window, driven through its debugging pipe: what a page shows, clicked and typed into."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--remote-debugging-pipe"),
)
#: Seconds that an answer, or what a page is waited for, may take.
_LIMIT = 60.0


def chromium() -> str:
    """Where a Chromium is, or an empty text."""
    return next((path for name in _NAMES if (path := shutil.which(name))), "")


class Page:
    """One page. Any failure of the page's own script is raised by the next call."""

    def __init__(self, asked: int, answers: int) -> None:
        self._asked, self._answers = asked, answers
        self._buffer, self._number, self._session = b"", 0, ""
        self.failures: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime"):
            self._call(f"{domain}.enable")

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._asked, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + _LIMIT
        while True:
            while b"\0" not in self._buffer:
                if not select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))[0]:
                    raise TimeoutError(f"no answer to {method} in {_LIMIT} s")
                part = os.read(self._answers, 1 << 16)
                if not part:
                    raise EOFError(f"the browser ended before it answered {method}")
                self._buffer += part
            text, _, self._buffer = self._buffer.partition(b"\0")
            answer = json.loads(text)
            if answer.get("method") == "Runtime.exceptionThrown":
                self.failures.append(str(answer["params"]["exceptionDetails"].get("exception", answer["params"])))
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        """Show the page in a window of so many pixels, and in the dark scheme or not."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def scripts(self, *, on: bool) -> None:
        """Have pages run scripts or not, from the next one on."""
        self._call("Emulation.setScriptExecutionDisabled", value=not on)

    def open(self, address: str) -> None:
        """Load a page, and wait until it is there."""
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is in the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails'].get('exception')}")
        return answer["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression holds. Raises `TimeoutError` with it."""
        deadline = time.monotonic() + _LIMIT
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not so in {_LIMIT} s: {expression}; failures: {self.failures}")
            time.sleep(0.02)

    def picture(self, path: Path) -> None:
        """Write what the window shows, as PNG."""
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))


@contextlib.contextmanager
def page(options: Sequence[str] = ()) -> Iterator[Page]:
    """A page of a browser of its own, which ends with it."""
    with tempfile.TemporaryDirectory(prefix="parity-browser-", ignore_cleanup_errors=True) as folder:
        down, up = os.pipe(), os.pipe()
        # The browser reads what it is asked from descriptor 3, and answers on 4.
        command = f'exec "$0" "$@" 3<&{down[0]} 4>&{up[1]}'
        process = subprocess.Popen(
            ["bash", "-c", command, chromium(), *_OPTIONS, f"--user-data-dir={folder}", *options],
            pass_fds=(down[0], up[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            os.close(down[0])
            os.close(up[1])
            yield Page(down[1], up[0])
        finally:
            os.close(down[1])
            os.close(up[0])
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 15)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
