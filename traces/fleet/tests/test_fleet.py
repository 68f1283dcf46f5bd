"""A local cluster of several nodes loses one half-way: no trace is lost, none is counted twice.

    pip install './traces/fleet[test]' && make -s -C core && pytest traces/fleet

The rows are compared with those of one process after another, which uses neither Ray nor this package.
"""

import collections
import csv
import os
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import ray
from ray.cluster_utils import Cluster

from slabscope_fleet import Results, make_jobs, run_jobs
from slabscope_fleet.__main__ import main

TOP = Path(__file__).resolve().parents[3]
SLABSCOPE = os.environ.get("SLABSCOPE", str(TOP / "core/build/slabscope"))
SAMPLES = sorted((TOP / "traces").glob("*.slabtrace"))
OPTIONS = ["--x", "max_order=0..2", "--y", "cpus=2,4", "--metric", "slab_bytes_peak,cycles"]
NR_TRACES = 24
NODES = 3

pytestmark = pytest.mark.skipif(not os.path.exists(SLABSCOPE), reason="needs make -C core")


@pytest.fixture
def traces(tmp_path: Path) -> list[str]:
    """Copies of the samples, each of them with a name of its own."""
    paths = []
    for i in range(NR_TRACES):
        paths.append(str(tmp_path / f"{i:02}-{SAMPLES[i % len(SAMPLES)].name}"))
        shutil.copy(SAMPLES[i % len(SAMPLES)], paths[-1])
    return paths


@pytest.fixture
def slow_slabscope(tmp_path: Path) -> Path:
    """The command, which takes a while and notes its starts and ends with the node: the parent of Ray's worker process."""
    path = tmp_path / "slow-slabscope"
    path.write_text(
        "#!/bin/sh\nnode=$(ps -o ppid= -p $PPID | tr -d ' ')\n"
        f'echo "$node" >> "{tmp_path}/starts"\nsleep 2\n"{SLABSCOPE}" "$@"\ncode=$?\n'
        f'echo "$node" >> "{tmp_path}/ends"\nexit $code\n'
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "starts").touch()
    (tmp_path / "ends").touch()
    return path


@pytest.fixture
def cluster():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    for _ in range(NODES - 1):
        cluster.add_node(num_cpus=2)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def one_after_another(command: str, options: list[str], traces: list[str]) -> collections.Counter:
    rows = collections.Counter()
    for trace in traces:
        args = [SLABSCOPE, command, trace, *options, "--csv", "-q"]
        table = subprocess.run(args, capture_output=True, text=True, check=True).stdout
        rows.update(tuple(cell or None for cell in row.values()) for row in csv.DictReader(table.splitlines()))
    return rows


@pytest.mark.parametrize(
    ("command", "options"), [("sweep", OPTIONS), ("doctor", ["--cpus", "4"]), ("sites", ["--by", "cache,cpu"])]
)
def test_a_lost_node_loses_no_trace_and_counts_none_twice(
    command, options, traces, slow_slabscope, cluster, tmp_path
):
    doomed = list(cluster.worker_nodes)[0]
    raylet = str(doomed.all_processes["raylet"][0].process.pid)
    under_way = []

    def nr_of(what: str) -> int:
        return (tmp_path / what).read_text().split().count(raylet)

    def lose_a_node(done: int, _failed: int, total: int) -> None:
        if done < total // 2 or under_way:
            return
        # Ray gives that node its next tasks without the driver.
        deadline = time.monotonic() + 60
        while nr_of("starts") == nr_of("ends") and time.monotonic() < deadline:
            time.sleep(0.05)
        under_way.append(nr_of("starts") - nr_of("ends"))
        # At once: on a busy computer its tasks could end before remove_node() does.
        subprocess.run(["pkill", "-KILL", "-P", raylet], check=False)
        os.kill(int(raylet), signal.SIGKILL)
        cluster.remove_node(doomed, allow_graceful=False)

    results = Results(tmp_path / "out.parquet")
    jobs = make_jobs(command, traces, options)
    assert run_jobs(jobs, results, slabscope=str(slow_slabscope), progress=lose_a_node) == []
    assert under_way and under_way[0] > 0, "tasks ran on the node when it was lost"
    starts = (tmp_path / "starts").read_text().split()
    assert len(starts) > NR_TRACES, "tasks of the lost node ran again"
    assert not os.path.exists(f"/proc/{raylet}"), "the node was killed"

    nr = results.write(jobs)
    table = pq.read_table(tmp_path / "out.parquet")
    expected = one_after_another(command, options, traces)
    assert table.num_rows == nr == expected.total() >= NR_TRACES
    found = collections.Counter(
        tuple(None if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist()
    )
    assert found == expected
    print(f"\n{command}: {NR_TRACES} traces, {len(starts)} starts, {nr} rows, {under_way[0]} tasks under way on the lost node")


def test_a_stopped_run_continues_where_it_stopped(traces, cluster, tmp_path):
    results = Results(tmp_path / "out.parquet")
    jobs = make_jobs("replay", traces[:4], [])
    run_jobs(jobs[:2], results, slabscope=SLABSCOPE)
    counts = []
    run_jobs(jobs, results, slabscope=SLABSCOPE, progress=lambda *n: counts.append(n))
    assert counts[0] == (2, 0, 4) and counts[-1] == (4, 0, 4) and len(counts) == 3
    assert {row["trace"] for row in results.rows(jobs)} == set(traces[:4])


def test_a_file_that_is_not_a_trace_is_reported(traces, cluster, tmp_path, capsys):
    bad = tmp_path / "bad.txt"
    bad.write_text("not a trace\n")
    ray.shutdown()
    out = tmp_path / "out.parquet"
    args = ["sweep", *traces[:2], str(bad), "--out", str(out), "--slabscope", SLABSCOPE, "--", *OPTIONS]
    assert main(args) == 1
    said = capsys.readouterr()
    assert "bad.txt" in said.err and "12 rows of 2 traces" in said.out
    assert pq.read_table(out).column("slab_bytes_peak").type == "int64"
    bad.write_text(Path(traces[0]).read_text())
    ray.shutdown()
    assert main(args) == 0
    assert "18 rows of 3 traces" in capsys.readouterr().out
