"""Numbers in messages."""


def numeral(value: float) -> str:
    """All digits of an int, six significant digits of a float."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def whole_numeral(value: float) -> str:
    """All digits of a whole number that its type represents exactly, six significant digits of any other number."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 2**53 else f"{value:.6g}"
