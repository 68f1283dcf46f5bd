"""Runs jobs on Ray.

    driver ─ submits all jobs ─┬─ node: slabscope …
                               └─ node: slabscope …   lost: Ray runs its tasks again on other nodes
    driver ─ receives each result once ─ stores its rows, then reports progress

A task writes nothing. If a node is lost, Ray runs the tasks that ran there again, and those whose results lay there and
had not been received. The driver stores a result when it receives it, so a job that ran twice is stored once.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import ray
from ray.exceptions import RayError, RayTaskError

from .jobs import BadTrace, Interrupted, Job, run_job
from .results import Results

DEFAULT_RETRIES = 5


@dataclass(frozen=True)
class Failure:
    """A job without a result, and why."""

    trace: str
    reason: str


@ray.remote(num_cpus=1)
def _run(job: Job, slabscope: str) -> list[dict[str, str]]:
    return run_job(job, slabscope)


def _reason(error: Exception) -> str:
    if isinstance(error, RayTaskError):
        error = error.cause if isinstance(error.cause, Exception) else error
    if isinstance(error, (BadTrace, Interrupted)):
        return str(error)
    return f"{type(error).__name__}: {error}".splitlines()[0]


def run_jobs(
    jobs: Iterable[Job],
    results: Results,
    *,
    slabscope: str = "slabscope",
    retries: int = DEFAULT_RETRIES,
    progress: Callable[[int, int, int], None] = lambda done, failed, total: None,
) -> list[Failure]:
    """Runs the jobs that have no result yet, and stores the rows of each. Returns the jobs that failed.

    Call ray.init() first. A job is tried again up to `retries` times if its node is lost or its process is killed, but
    not if slabscope refuses the trace.
    """
    jobs = list(jobs)
    open_jobs = [job for job in jobs if not results.has(job)]
    task = _run.options(max_retries=retries, retry_exceptions=[Interrupted])
    waiting = {task.remote(job, slabscope): job for job in open_jobs}
    done = len(jobs) - len(open_jobs)
    failures: list[Failure] = []
    progress(done, 0, len(jobs))
    while waiting:
        [ready], _ = ray.wait(list(waiting), num_returns=1)
        job = waiting.pop(ready)
        try:
            results.store(job, ray.get(ready))
            done += 1
        except RayError as error:
            failures.append(Failure(job.trace, _reason(error)))
        progress(done, len(failures), len(jobs))
    return failures
