"""Stores the rows of each job once, and joins them to one Parquet table.

    OUT.parts/KEY.json     the rows of one job; the file appears when it is complete
    OUT                    the table of all jobs

The parts stay until the table is written. A run that was stopped therefore continues where it stopped.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .jobs import Job


class Results:
    def __init__(self, out: str | os.PathLike[str]) -> None:
        self.out = Path(out)
        self.parts = self.out.with_name(self.out.name + ".parts")
        self.parts.mkdir(parents=True, exist_ok=True)

    def _part(self, job: Job) -> Path:
        return self.parts / f"{job.key}.json"

    def has(self, job: Job) -> bool:
        return self._part(job).exists()

    def store(self, job: Job, rows: list[dict[str, str]]) -> None:
        """Replaces what an earlier run of the same job has stored."""
        part = self._part(job)
        draft = part.with_suffix(".draft")
        with open(draft, "w", encoding="utf-8") as file:
            json.dump(rows, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, part)

    def rows(self, jobs: Iterable[Job]) -> list[dict[str, str]]:
        """The rows of these jobs, in their order, each job once."""
        rows = []
        for job in {job.key: job for job in jobs}.values():
            if self.has(job):
                rows += json.loads(self._part(job).read_text(encoding="utf-8"))
        return rows

    def write(self, jobs: Iterable[Job]) -> int:
        """Writes the table, and returns how many rows it has."""
        rows = self.rows(jobs)
        draft = self.out.with_name(self.out.name + ".draft")
        pq.write_table(table_of(rows), draft)
        os.replace(draft, self.out)
        return len(rows)

    def drop_parts(self) -> None:
        """Call it when no job is left to run."""
        for part in self.parts.iterdir():
            part.unlink()
        self.parts.rmdir()


def table_of(rows: list[dict[str, str]]) -> pa.Table:
    """A column has numbers if all of its cells are numbers; an empty cell is null."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: _column([row.get(name) or None for row in rows]) for name in names})


def _column(cells: list[str | None]) -> pa.Array:
    for kind, read in ((pa.int64(), int), (pa.float64(), float)):
        try:
            return pa.array([None if cell is None else read(cell) for cell in cells], kind)
        except (ValueError, OverflowError, pa.ArrowInvalid):
            continue
    return pa.array(cells, pa.string())
