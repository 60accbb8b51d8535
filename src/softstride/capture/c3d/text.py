"""Text in C3D files: bytes that are UTF-8 in new files and Latin-1 in old ones."""

from __future__ import annotations


def decode_text(raw: bytes) -> str:
    """Return the text of some bytes: UTF-8 where they are valid UTF-8, else Latin-1, which always works."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def encode_text(text: str, width: int) -> bytes:
    """Return bytes that `decode_text` turns back into the text, if possible of exactly a given length.

    Args:
        text: Any text.
        width: Length that the bytes had where the text was read [bytes].

    Returns:
        UTF-8, or Latin-1 where only that has the given length. Not padded.
    """
    utf8 = text.encode("utf-8", "replace")
    if len(utf8) > width and len(text) == width:
        try:
            latin = text.encode("latin-1")
        except UnicodeEncodeError:
            return utf8
        if decode_text(latin) == text:
            return latin
    return utf8


def fit_text(text: str, width: int) -> bytes:
    """Return the bytes of a text, cut between characters if longer than a width, and filled with blanks."""
    raw = encode_text(text, width)
    if len(raw) > width:
        raw = raw[:width].decode("utf-8", "ignore").encode()
    return raw.ljust(width)
