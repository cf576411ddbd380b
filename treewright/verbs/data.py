"""The verbs about data: what is here, what can be fetched, where it lies."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.outputs import Verb
from treewright.terminal import say, show

__all__ = ["app"]

app = typer.Typer(help="List and fetch corpora and word lists.", no_args_is_help=True)

NLTK_RESOURCES = {
    "treebank": ("corpora/treebank", "Penn Treebank sample: 3,914 parsed sentences (English)"),
    "sinica_treebank": ("corpora/sinica_treebank", "10,000 parsed sentences (Chinese)"),
    "cess_esp": ("corpora/cess_esp", "6,030 parsed sentences (Spanish)"),
    "floresta": ("corpora/floresta", "9,266 parsed sentences (Portuguese)"),
    "alpino": ("corpora/alpino", "7,136 parsed sentences (Dutch)"),
    "wordnet": ("corpora/wordnet", "WordNet 3.0: synonyms"),
    "stopwords": ("corpora/stopwords", "stop words of 30 languages"),
}


@app.command(name="list", cls=Verb)
def list_data(as_json: Json = False) -> None:
    """List corpora: embedded ones, those of NLTK on this machine, and those to fetch.

    Example: treewright data list
    """
    from induction.corpus.sources import embedded_file

    places: dict[str, Any] = {"embedded": str(embedded_file("reviews.tsv"))}
    for name, (resource, _) in NLTK_RESOURCES.items():
        places[name] = _found(resource)
    places["TREEWRIGHT_DATA"] = os.environ.get("TREEWRIGHT_DATA")
    if as_json:
        show_facts(places, as_json=True)
        return
    about = {"embedded": "reviews written for this project, with trees and labels"}
    about |= {name: text for name, (_, text) in NLTK_RESOURCES.items()}
    about["TREEWRIGHT_DATA"] = "folder of SCAN splits and other corpora"
    for name, place in places.items():
        show(f"{name:<16} {about[name]}\n{'':<16} {place or 'not here'}")


@app.command(cls=Verb)
def get(
    names: Annotated[list[str], typer.Argument(help="Names of NLTK resources.")],
    quiet: Quiet = False,
) -> None:
    """Fetch NLTK resources with NLTK's own downloader.

    Example: treewright data get treebank wordnet
    """
    import nltk

    for name in names:
        if name in NLTK_RESOURCES and _found(NLTK_RESOURCES[name][0]):
            say(f"{name} is here already", quiet=quiet)
            continue
        try:
            fetched = nltk.download(name, quiet=True)
        except Exception as error:
            raise _not_fetched(name, str(error)) from None
        if not fetched:
            raise _not_fetched(name, "NLTK's downloader did not deliver it")
        say(f"{name} fetched", quiet=quiet)


def _not_fetched(name: str, reason: str) -> Exception:
    from grammar.errors import MissingDataError

    return MissingDataError(
        f"{name} could not be fetched: {reason}",
        hint="check the name and the connection, or put the data where NLTK_DATA points",
    )


def _found(resource: str) -> str | None:
    import nltk

    for candidate in (resource, f"{resource}.zip"):
        try:
            return str(nltk.data.find(candidate))
        except LookupError:
            continue
    return None
