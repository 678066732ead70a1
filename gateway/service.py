"""Gateway: what every route works with. Values and objects put together by `app.py`; no logic."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..app.maitred import Maitred
from .settings import GatewaySettings
from .transcripts import Transcripts
from .turns import AfterTurn
from .webhooks.webhooks import Webhooks
from .work import Work


@dataclass(frozen=True, slots=True)
class Gateway:
    """`now`: seconds since the epoch."""

    maitred: Maitred
    transcripts: Transcripts
    settings: GatewaySettings
    webhooks: Webhooks
    after_turn: AfterTurn | None = None
    work: Work = field(default_factory=Work)
    now: Callable[[], float] = time.time
