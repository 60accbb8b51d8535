"""Many trials: found in folders, analysed on the cores of this machine or on a Dask cluster, gathered in one table.

    from softstride.batch import find_trials, run_batch

    if __name__ == "__main__":
        found = find_trials(["recordings"], out="results")
        batch = run_batch(found.trials, "results")
        print(batch.to_dataframe())

Worker processes import the script that starts them, hence the second line. A batch that was cut short goes on where it
was: trials that are finished are not done again.
"""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.batch.outcome import Batch, Outcome
    from softstride.batch.run import run_batch
    from softstride.batch.task import Addition
    from softstride.batch.trials import Found, Trial, find_trials
    from softstride.batch.watcher import Watcher

__getattr__, __dir__ = on_demand(__name__, __file__)

__all__ = ["Addition", "Batch", "Found", "Outcome", "Trial", "Watcher", "find_trials", "run_batch"]
