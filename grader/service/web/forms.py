"""A form that its page shows again after a mistake, with the entered values and a message at the field."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.datastructures import FormData

from grader.protocol.text import showable
from grader.service.errors import FieldError, NotFoundError, RefusedError

UNPROCESSABLE = 422
"""Status of a page with a form that could not be used."""


@dataclass(frozen=True, kw_only=True)
class EnteredForm:
    """The values of a form, by field, and the message at the field that cannot be used. Both are empty if the form
    was not sent.
    """

    values: Mapping[str, tuple[str, ...]]
    field: str = ""
    message: str = ""

    @property
    def status(self) -> int:
        """Status of the page."""
        return UNPROCESSABLE if self.message else 200

    def value(self, field: str, usual: str = "") -> str:
        """The entered value of a field; the usual value if the form was not sent."""
        return next(iter(self.values.get(field, ())), "") if self.values else usual

    def has(self, field: str, value: str) -> bool:
        """True if this value of the field was chosen, for example a box that was ticked."""
        return value in self.values.get(field, ())


NOTHING_ENTERED = EnteredForm(values={})


def entered(form: FormData, error: FieldError) -> EnteredForm:
    """A form that was sent, with the reason why it cannot be used. Files are left out: a page cannot return them."""
    values = {name: tuple(_texts(form, name)) for name in form}
    return EnteredForm(values=values, field=error.field, message=str(error))


def _texts(form: FormData, name: str) -> Iterator[str]:
    return (showable(each.replace("\r\n", "\n")) for each in form.getlist(name) if isinstance(each, str))


@contextmanager
def at_field(name: str) -> Iterator[None]:
    """Show each RefusedError of the block at this field."""
    try:
        yield
    except (FieldError, NotFoundError):
        raise
    except RefusedError as error:
        raise FieldError(name, str(error)) from error
