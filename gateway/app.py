"""app: the ASGI application over a Maitred. The one place that puts the gateway's parts together.

    app = create_app(Maitred(flow, store="shop.db", runner=DerivedEffects()), keys=[make_key("webui", SECRET)])

Any ASGI server runs it; `maitred serve` does with uvicorn.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from secrets import token_bytes

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from .. import __version__
from ..app.maitred import Maitred
from ..observability.metrics import Metrics
from ..observability.redaction import Marks
from ..protocol.errors import MaitredError, StoreUnavailable
from .app_parts import check_runner, transcripts_beside
from .document import document_of
from .door import OPEN_BYTES, Door
from .errors import on_http_error, on_maitred_error, on_wrong_body
from .keys import Key, Keyring
from .metrics_route import add_metrics_route
from .native_routes import native_routes
from .openai_routes import openai_routes
from .outage import Outage
from .readiness import Readiness
from .request_log import RequestLog
from .responses_routes import responses_routes
from .service import Gateway
from .settings import GatewaySettings
from .transcripts import Transcripts
from .turns import AfterTurn
from .webhooks.routes import webhook_routes
from .webhooks.webhooks import Webhook, Webhooks

logger = logging.getLogger("maitred.gateway")

_DAY_S = 86_400


def create_app(
    maitred: Maitred,
    *,
    keys: Iterable[Key] = (),
    settings: GatewaySettings | None = None,
    transcripts: Transcripts | None = None,
    after_turn: AfterTurn | None = None,
    webhooks: Sequence[Webhook] = (),
    metrics_key: str = "",
    marks: Marks | None = None,
) -> FastAPI:
    """The application; it closes `maitred` when it ends. Without `keys` only this machine may call.

    `transcripts`: the index of nameless conversations; beside a SQLite store's file if not given. `webhooks`: inboxes that send
    what customers write to `/webhooks/NAME`. `metrics_key`: a secret that opens `/metrics` to other machines. `marks`: how
    sessions are called in the request log.
    """
    check_runner(maitred)
    settings = settings or GatewaySettings()
    inboxes = Webhooks(maitred, webhooks, after_turn, keep_days=settings.keep_days)
    index = transcripts or transcripts_beside(maitred, settings.keep_days)
    gateway = Gateway(maitred, index, settings, inboxes, after_turn)
    app = FastAPI(
        title="maitred",
        version=__version__,
        summary=f"The flow {maitred.flow.name!r} as an OpenAI-compatible model, and natively.",
        lifespan=_lifespan,
        docs_url=None,  # FastAPI's pages load their scripts from a host of somebody else's
        redoc_url=None,
    )
    app.openapi = lambda: document_of(app)  # type: ignore[method-assign]  # FastAPI's documented way
    app.state.gateway = gateway
    metrics = Metrics(maitred.flow.name, lambda: maitred.frozen)
    maitred.watched_by(metrics.job)
    bearer = [Depends(HTTPBearer(auto_error=False, description="A key of MAITRED_API_KEYS"))]  # for the document
    app.include_router(openai_routes(gateway), dependencies=bearer)
    app.include_router(responses_routes(gateway), dependencies=bearer)
    app.include_router(native_routes(gateway), dependencies=bearer)
    if webhooks:
        app.include_router(webhook_routes(inboxes))
    _health(app, gateway)
    add_metrics_route(app, metrics, metrics_key)
    open_bytes = max((webhook.body_bytes for webhook in webhooks), default=OPEN_BYTES)
    app.add_middleware(Door, keyring=Keyring(keys), settings=settings, flow=maitred.flow.name, open_bytes=open_bytes)
    app.add_middleware(RequestLog, flow=maitred.flow.name, marks=marks or Marks(token_bytes(32)), counts=metrics)
    app.add_exception_handler(MaitredError, on_maitred_error)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_exception_handler(RequestValidationError, on_wrong_body)
    app.add_exception_handler(Exception, on_maitred_error)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    gateway: Gateway = app.state.gateway
    tasks = [asyncio.ensure_future(_tick(gateway)), asyncio.ensure_future(_stopped(gateway))]
    try:
        async with gateway.webhooks.working(gateway.work, gateway.settings.close_s):
            yield
    finally:
        gateway.work.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await gateway.work.drain(gateway.work.left_s(gateway.settings.close_s))
        await gateway.maitred.close()
        await gateway.transcripts.close()


async def _stopped(gateway: Gateway) -> None:
    """Once it is told to stop, whoever waits for a turn is answered in time, while there is still a connection to answer on."""
    await gateway.work.stopping.wait()
    await gateway.work.drain(gateway.work.left_s(gateway.settings.close_s))


async def _tick(gateway: Gateway) -> None:
    """Deadlines and expiries, now and then. What they have to say goes out by webhook, or waits in the
    session's log: no customer is on the line."""
    outage = Outage("the timer")
    while True:
        try:
            await gateway.webhooks.tick()
            await gateway.transcripts.forget(gateway.now() - gateway.settings.keep_days * _DAY_S)
        except StoreUnavailable as error:
            outage.on(error)
        except Exception:
            logger.exception("the timer failed")
        else:
            outage.over()
        await asyncio.sleep(gateway.settings.tick_s)


def _health(app: FastAPI, gateway: Gateway) -> None:
    readiness = Readiness((gateway.maitred.store, gateway.transcripts, gateway.webhooks.boxes))

    @app.get("/healthz", tags=["Health"])
    async def healthz() -> dict[str, str]:
        """The process lives."""
        return {"status": "ok"}

    @app.get("/readyz", tags=["Health"])
    async def readyz(request: Request) -> JSONResponse:
        """It can serve: a turn could be written now, and nobody told it to stop."""
        if gateway.work.stopping.is_set():
            return JSONResponse({"status": "stopping"}, 503)
        error = await readiness.error()
        return JSONResponse({"status": error.code}, 503) if error else JSONResponse({"status": "ok"})
