"""Small pieces of sentences, the same wherever something is told."""


def count(number: int, thing: str) -> str:
    """For example "1 element", "2,048 elements"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def capital(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]
