"""Seals of saved files taken out or made again, for tests that change what is in these."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

__all__ = ["sealed_again", "without_seal"]


def without_seal(path: Path) -> str:
    """Return the text of a saved grammar as it may be changed on purpose."""
    return re.sub(r'"seal": "[^"]*", ', "", path.read_text("utf-8"))


def sealed_again(folder: Path, **changed: Any) -> None:
    """Let a folder say of itself what it holds now, with some facts changed.

    Its digests are made again, too, if ``files`` are not among what is changed.
    """
    facts = folder / "treewright.json"
    held = json.loads(facts.read_text("utf-8"))
    if "files" not in changed:
        held["files"] = {
            name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in held["files"]
        }
    rest = {name: value for name, value in {**held, **changed}.items() if name != "seal"}
    seal = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    facts.unlink()
    facts.write_text(json.dumps({**rest, "seal": seal}))
