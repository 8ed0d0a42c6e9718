"""The tests are of the installed wheel; where a window is all that matters, `window` is one of a minute."""

import pytest
from firstseen import Window


@pytest.fixture
def window():
    return Window.exact(60)
