"""slabscope-fleet: one subcommand of slabscope over many traces."""

import argparse
import shutil
import sys

import ray

from .cluster import DEFAULT_RETRIES, run_jobs
from .jobs import COMMANDS, make_jobs
from .results import Results

EPILOG = """Options behind -- go to slabscope:

  slabscope-fleet sweep traces/*.gz --out sweep.parquet -- --x max_order=0..3 --y cpus=8,32
  slabscope-fleet replay traces/*.gz --out caches.parquet -- --preset linux-4.19
"""


def _parse(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    cut = argv.index("--") if "--" in argv else len(argv)
    parser = argparse.ArgumentParser(
        prog="slabscope-fleet",
        description="Runs slabscope over many traces on Ray, and writes one Parquet table. "
        "Each row names its trace.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("traces", nargs="+", help="files that all nodes have under the same name")
    parser.add_argument("--out", required=True, help="the Parquet file")
    parser.add_argument("--address", help="of a Ray cluster, such as auto (default: this computer)")
    parser.add_argument("--slabscope", help="path of the command on every node (default: as found here)")
    parser.add_argument(
        "--retries",
        type=int,
        default=DEFAULT_RETRIES,
        help="tries after a lost node or a killed process (default %(default)s)",
    )
    return parser.parse_args(argv[:cut]), argv[cut + 1 :]


def _show(done: int, failed: int, total: int) -> None:
    words = f"{done} of {total} traces" + (f", {failed} failed" if failed else "")
    if sys.stderr.isatty():
        print(f"\r{words}", end="\n" if done + failed == total else "", file=sys.stderr)
    elif done + failed == total or (done + failed) % max(total // 20, 1) == 0:
        print(words, file=sys.stderr)


def main(argv: list[str] | None = None) -> int:
    """0: all traces have rows; 1: some do not; 2: a call that is not possible."""
    args, options = _parse(sys.argv[1:] if argv is None else argv)
    slabscope = args.slabscope or shutil.which("slabscope")
    if not slabscope:
        print("slabscope is not on the PATH: build it with `make -C core`, or use --slabscope PATH", file=sys.stderr)
        return 2
    try:
        jobs = make_jobs(args.command, args.traces, options)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    ray.init(address=args.address, log_to_driver=False, logging_level="warning")
    results = Results(args.out)
    failures = run_jobs(jobs, results, slabscope=slabscope, retries=args.retries, progress=_show)
    rows = results.write(jobs)
    for failure in failures:
        print(failure.reason, file=sys.stderr)
    if not failures:
        results.drop_parts()
    print(f"{args.out}: {rows:,} rows of {len(jobs) - len(failures):,} traces")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
