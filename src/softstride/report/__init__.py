"""A study as one HTML page that opens offline: summary, data quality, curves over gait cycles, a replay in 3D.

    write_report(study, "walk.html")

Everything is inside the page, the script of Plotly too; it asks nothing from the network. `docs/report.md` says what
is in it and by which limits it judges.
"""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.report.build import render_report, write_report
    from softstride.report.norms import Norms, read_norms

__getattr__, __dir__ = on_demand(__name__, __file__)

__all__ = ["Norms", "read_norms", "render_report", "write_report"]
