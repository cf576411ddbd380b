"""Object stores for tests: one in this process, and one of S3's kind on the loopback address."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator

import fsspec
import pytest

NUMBERS = itertools.count()
KEYS = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing"}


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server that speaks as S3 does."""
    moto = pytest.importorskip("moto.server")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def s3(server: str, monkeypatch) -> str:
    """The address of an empty bucket."""
    for name, value in {**KEYS, "AWS_ENDPOINT_URL": server, "AWS_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    bucket = f"bucket-{next(NUMBERS)}"
    fsspec.filesystem("s3").mkdir(bucket)
    return f"s3://{bucket}"


@pytest.fixture
def memory() -> Iterator[str]:
    """The address of an empty folder in this process."""
    store = fsspec.filesystem("memory")
    name = f"folder-{next(NUMBERS)}"
    store.mkdir(f"/{name}")
    yield f"memory://{name}"
    store.rm(f"/{name}", recursive=True)


@pytest.fixture(params=["memory", "s3"])
def store(request) -> str:
    """The address of an empty store, of each kind in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["here", "memory", "s3"])
def anywhere(request, tmp_path) -> str:
    """The name of an empty folder, here or in a store."""
    return str(tmp_path) if request.param == "here" else request.getfixturevalue(request.param)
