"""Errors a person reads, as objects."""

import copy
import copyreg

import pytest

from attnviz.core.errors import InputError


def test_a_copy_has_no_traceback_even_where_another_library_pickles_tracebacks(monkeypatch):
    def with_traceback(error):
        return _raised_at, (error.template, error.__traceback__)

    monkeypatch.setitem(copyreg.dispatch_table, InputError, with_traceback)
    with pytest.raises(InputError) as raised:
        raise InputError("There is no {what}.", what="key")
    error = copy.copy(raised.value)
    assert (str(error), type(error)) == ("There is no key.", InputError)
    assert (error.__traceback__, error.__context__, error.__cause__) == (None, None, None)


def _raised_at(template, traceback):
    return InputError(template, what="key").with_traceback(traceback)
