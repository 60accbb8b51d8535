"""From a recording and a model to a study: all steps of an analysis, in order."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.pipeline.analysis import analyze
    from softstride.pipeline.folder import analyze_to_folder
    from softstride.pipeline.options import AnalyzeOptions
    from softstride.pipeline.request import Request, prepare_trial
    from softstride.pipeline.settings import read_settings, template
    from softstride.pipeline.weights import task_weights

__getattr__, __dir__ = on_demand(__name__, __file__)

__all__ = [
    "AnalyzeOptions",
    "Request",
    "analyze",
    "analyze_to_folder",
    "prepare_trial",
    "read_settings",
    "task_weights",
    "template",
]
