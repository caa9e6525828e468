"""Starts and ends a ministack on 127.0.0.1, in an environment of its own."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Self

ACCOUNT, REGION = "000000000000", "us-east-1"
_ROOT = Path(__file__).parents[2]
_LAUNCH = (
    "import sys; sys.path.append(sys.argv[1]); from local.ministack.launch import main; "
    "main(is_repaired=sys.argv[2] == 'repaired')"
)
_UP_SECONDS = 60.0
_END_SECONDS = 10.0
_KEPT = re.compile(r"HOME|LANG|LC_\w+|PATH|TZ|(?:https?|no)_proxy|SSL_CERT_\w+", re.IGNORECASE)
"""What functions find of this process' environment: no more than a machine has."""
_DONE = ".installed"
"""Lies in an environment that is complete."""


class StackFault(RuntimeError):
    """ministack cannot be installed or started."""


def usual_folder() -> Path:
    """Return where the environment belongs: in that of Stepsmith, else in the user's cache."""
    own = Path(sys.prefix)
    if sys.prefix != sys.base_prefix and os.access(own, os.W_OK):
        return own / ".ministack"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "stepsmith")


def is_made(folder: Path) -> bool:
    """Return whether the environment is in a folder, so that nothing has to be fetched."""
    return (_place(folder) / _DONE).is_file()


def environment(folder: Path) -> Path:
    """Return the Python of ministack's environment in a folder, made where it is not there.

    Installs from the lock, so the network is needed once. Raises StackFault.
    """
    place = _place(folder)
    python = place / "bin" / "python"
    if is_made(folder):
        return python
    place.parent.mkdir(parents=True, exist_ok=True)
    locked = place.with_suffix(".lock")
    locked.write_bytes(_lock())
    pip = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--require-hashes"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(place)],
        [str(python), *pip, "-r", str(locked)],
    ):
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.returncode != 0:
            raise StackFault(f"ministack's environment cannot be made: {said.stderr.strip()}")
    (place / _DONE).touch()
    return python


def _lock() -> bytes:
    return resources.files("local.ministack").joinpath("requirements.lock").read_bytes()


def _place(folder: Path) -> Path:
    """Return where the environment of this lock is, for this Python: functions run in it."""
    python = sys.implementation.cache_tag.encode()
    digest = hashlib.sha256(python + _lock()).hexdigest()[:16]
    return folder / f"ministack-{digest}"


@dataclass(slots=True)
class Stack:
    """A ministack that runs; a context manager that ends it. `url` is its one address."""

    url: str
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End it and what it has started."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, how)  # the workers that functions run in as well
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_END_SECONDS)

    def variables(self) -> dict[str, str]:
        """Return the environment in which the AWS tools and boto3 talk to it."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ENDPOINT_URL_S3": self.url,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_REGION": REGION,
        }


def start(
    python: Path,
    folder: Path,
    *,
    port: int | None = None,
    scale: float = 1.0,
    is_repaired: bool = True,
) -> Stack:
    """Start ministack with its repairs, or as it comes; its log and state go into a folder.

    `scale` is what a second of a machine's waits and timeouts takes. Raises StackFault.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ours = _exposed(folder)
    port = port or _free_port()
    url = f"http://127.0.0.1:{port}"
    variables = {
        **{name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)},
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "0",  # else it listens on every interface
        "SFN_WAIT_SCALE": str(scale),
        "AWS_ENDPOINT_URL": url,
        "AWS_DEFAULT_REGION": REGION,
        "TMPDIR": str(folder),
    }
    log = folder / "ministack.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(python), "-P", "-c", _LAUNCH, str(ours), "repaired" if is_repaired else ""],
            cwd=folder,
            env=variables,
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    stack = Stack(url, port, process, log)
    end = time.monotonic() + _UP_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        with suppress(OSError, urllib.error.URLError):
            urllib.request.urlopen(f"{url}/_ministack/health", timeout=1).close()  # noqa: S310
            return stack
        time.sleep(0.05)
    stack.stop()
    tail = log.read_text(errors="replace").strip().split("\n")[-3:]
    raise StackFault(f"ministack does not start: {' / '.join(tail)}")


def _exposed(folder: Path) -> Path:
    """Return a folder with the packages of ours that run in there, and with no others.

    Beside an installed Stepsmith lie libraries that ministack must not take for its own.
    """
    ours = folder / "ours"
    ours.mkdir(exist_ok=True)
    for name in ("local", "protocol"):
        (ours / name).unlink(missing_ok=True)
        (ours / name).symlink_to(_ROOT / name)
    return ours


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
