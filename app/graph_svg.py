"""graph_svg: the drawing of a flow as SVG, through mermaidx (Mermaid inside an embedded engine: no browser, no network).

Owns the use of that optional library; the drawing itself is `statemachine/render.py`. Called by `maitred graph --svg`.
"""

from ..protocol.errors import BadRequest, InternalError
from ..protocol.texts import Lang
from ..statemachine.flow import Flow
from ..statemachine.render import mermaid


def svg(flow: Flow, lang: Lang = "en", built_in: bool = False) -> str:
    """The SVG text. Raises BadRequest if mermaidx is not installed, InternalError if it fails."""
    try:
        import mermaidx  # costs 18 MB on disk, so only those who draw install it
    except ImportError as error:
        raise BadRequest("drawing SVG needs an extra library: pip install 'maitred[svg]'") from error
    try:
        return str(mermaidx.render(mermaid(flow, lang, built_in)).svg())
    except Exception as error:  # a foreign engine: whatever it raises means the same to the caller
        raise InternalError(f"the drawing of flow {flow.name!r} failed: {type(error).__name__}: {error}") from error
