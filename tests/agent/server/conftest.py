"""What the server needs to be installed."""

import pytest

pytest.importorskip("fastapi", reason="nonliquet[web] is not installed")
