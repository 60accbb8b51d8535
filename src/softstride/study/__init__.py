"""Everything that one trial produced, as one value and as one file."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.study.emg_comparison import EmgErrors, emg_errors
    from softstride.study.files import open_study, save_study
    from softstride.study.study import Stage, Study
    from softstride.study.support import Phase, single_support

__getattr__, __dir__ = on_demand(__name__, __file__)

__all__ = [
    "EmgErrors",
    "Phase",
    "Stage",
    "Study",
    "emg_errors",
    "open_study",
    "save_study",
    "single_support",
]
