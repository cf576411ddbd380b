"""Labelled spans of texts: the column ``spans``, the tags that stand for it, and files of them."""
