"""What goes wrong with a header as a whole; single declarations that cannot be read are only listed."""

from __future__ import annotations


class HeaderError(ValueError):
    """A header that cannot be preprocessed, or from which nothing can be bound."""


class HeaderNotFound(HeaderError):
    """A header that is not there."""
