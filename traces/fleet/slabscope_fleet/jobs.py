"""A job is one call of `slabscope` on one trace."""

import csv
import hashlib
import io
import os
import subprocess
from dataclasses import dataclass

# Subcommands that print rows with --csv. The value: options that every call gets.
COMMANDS = {
    "sweep": ("--csv", "-q", "--jobs", "1"),  # Ray already runs one task per processor
    "replay": ("--csv", "-q"),
    "sites": ("--csv", "-q"),
    "doctor": ("--csv", "-q", "--jobs", "1"),
}


@dataclass(frozen=True)
class Job:
    """The same job has the same key, as long as its trace does not change."""

    command: str
    trace: str
    options: tuple[str, ...]
    key: str


class BadTrace(Exception):
    """The command has refused the trace or the call: it would do so again."""


class Interrupted(Exception):
    """The command was killed, for example without memory: another try may succeed."""


def make_jobs(command: str, traces: list[str], options: list[str]) -> list[Job]:
    """One job for each trace. A trace that is named twice is one job."""
    if command not in COMMANDS:
        raise ValueError(f"expected one of {', '.join(COMMANDS)}, found {command}")
    jobs = {}
    for trace in traces:
        path = os.path.abspath(trace)
        state = os.stat(path)
        parts = (command, *options, path, str(state.st_size), str(state.st_mtime_ns))
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        jobs[key] = Job(command, path, tuple(options), key)
    return list(jobs.values())


def run_job(job: Job, slabscope: str) -> list[dict[str, str]]:
    """The rows that the command prints; each of them names its trace."""
    args = [slabscope, job.command, job.trace, *COMMANDS[job.command], *job.options]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        raise Interrupted(f"{job.trace}: slabscope was ended by signal {-done.returncode}")
    if done.returncode:
        raise BadTrace(done.stderr.strip() or f"{job.trace}: exit status {done.returncode}")
    return rows_of(done.stdout, job.trace)


def rows_of(text: str, trace: str) -> list[dict[str, str]]:
    """The rows of a table; lines that begin with # are comments."""
    lines = (line for line in io.StringIO(text) if not line.startswith("#"))
    return [{"trace": trace, **row} for row in csv.DictReader(lines)]
