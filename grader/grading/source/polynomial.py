"""Integer expressions of a kernel as polynomials, so that different spellings of a value are equal."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

Monomial = tuple[str, ...]
"""A product of atoms, in alphabetical order; empty for a constant. An atom is a variable or a call."""


@dataclass(frozen=True)
class Polynomial:
    """A sum of products of atoms, each with a factor that is not 0."""

    terms: Mapping[Monomial, int]

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __add__(self, other: "Polynomial") -> "Polynomial":
        """Return the sum."""
        total = dict(self.terms)
        for atoms, factor in other.terms.items():
            total[atoms] = total.get(atoms, 0) + factor
        return Polynomial({atoms: factor for atoms, factor in total.items() if factor})

    def __sub__(self, other: "Polynomial") -> "Polynomial":
        """Return the difference."""
        return self + other * constant(-1)

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        """Return the product."""
        total = Polynomial({})
        for mine, factor in self.terms.items():
            for theirs, times in other.terms.items():
                total += Polynomial({tuple(sorted((*mine, *theirs))): factor * times})
        return total

    @cached_property
    def atoms(self) -> frozenset[str]:
        """The atoms that occur."""
        return frozenset(atom for atoms in self.terms for atom in atoms)

    @property
    def number(self) -> int | None:
        """The value of a constant; None if the value depends on an atom."""
        return None if self.atoms else self.terms.get((), 0)

    def most(self, largest: Mapping[str, int]) -> int | None:
        """The largest value if each atom is between 0 and its own largest value; None if this is unknown."""
        if any(factor < 0 for atoms, factor in self.terms.items() if atoms) or not self.atoms <= largest.keys():
            return None
        total = 0
        for atoms, factor in self.terms.items():
            for atom in atoms:
                factor *= largest[atom]  # noqa: PLW2901 - multiplies the factors of the term
            total += factor
        return total


def constant(value: int) -> Polynomial:
    """Return the polynomial of a number."""
    return Polynomial({(): value} if value else {})


def atom(name: str) -> Polynomial:
    """Return the polynomial of a variable or a call."""
    return Polynomial({(name,): 1})
