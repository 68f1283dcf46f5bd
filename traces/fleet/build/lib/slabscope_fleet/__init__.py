"""Runs slabscope over many traces on Ray, and writes one Parquet table.

jobs.py       one job is one call of the command on one trace, and has a key
cluster.py    runs jobs on Ray, and runs them again if their node is lost
results.py    stores the rows of each job once, and joins them to one table
"""

from .cluster import Failure, run_jobs
from .jobs import COMMANDS, Job, make_jobs
from .results import Results

__all__ = ["COMMANDS", "Failure", "Job", "Results", "make_jobs", "run_jobs"]
