"""Forms that are shown again after a mistake, with the entered values and a message at the field."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.datastructures import FormData

from grader.protocol.text import showable
from grader.service.errors import FieldError, NotFoundError, RefusedError

UNPROCESSABLE = 422
"""HTTP status of a page that shows a form again after a mistake."""


@dataclass(frozen=True, kw_only=True)
class EnteredForm:
    """The entered values of a form, by field, and the message at the field with the mistake. Both are empty if the form
    was not sent.
    """

    values: Mapping[str, tuple[str, ...]]
    field: str = ""
    message: str = ""

    @property
    def status(self) -> int:
        """HTTP status of the page with this form."""
        return UNPROCESSABLE if self.message else 200

    def value(self, field: str, usual: str = "") -> str:
        """The entered value of a field; `usual` if the form was not sent."""
        return next(iter(self.values.get(field, ())), "") if self.values else usual

    def has(self, field: str, value: str) -> bool:
        """True if this value of the field was chosen, for example by ticking a box."""
        return value in self.values.get(field, ())


NOTHING_ENTERED = EnteredForm(values={})


def entered(form: FormData, error: FieldError) -> EnteredForm:
    """A form that was sent, with the reason why it was refused. Files are left out because a page cannot
    return them.
    """
    texts = {name: [each for each in form.getlist(name) if isinstance(each, str)] for name in form}
    values = {name: tuple(showable(each.replace("\r\n", "\n")) for each in some) for name, some in texts.items()}
    return EnteredForm(values=values, field=error.field, message=str(error))


@contextmanager
def at_field(name: str) -> Iterator[None]:
    """Convert each RefusedError in the block to a FieldError, so that its message is shown at this field."""
    try:
        yield
    except (FieldError, NotFoundError):
        raise
    except RefusedError as error:
        raise FieldError(name, str(error)) from error
