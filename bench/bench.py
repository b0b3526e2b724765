"""What `./dev bench` runs. Every figure is a ratio or a time of one run on one machine: it proves nothing of another.

Text goes to stdout, and the same as JSON into a file. The parts: `load` (check and load against plain dlopen, and
planning), `loader` (what judging costs: against opening, for each refused file, with their number, at import), `calls`
(typed calls on four elements against ATen), and `fused` (operators against eager, torch.compile and a clone of the same
bytes, for each CPU level).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from folders import many_files, ten_libraries
from goals import goals

import loader

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ["MYOPS_BUILD_FOLDER"])
SEARCHED_ALONE = "MYOPS_SYSTEM_PLUGIN_PATH"
PARTS = ("load", "loader", "calls", "fused")


# What a user has set must not decide which libraries are measured.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("MYOPS_", "ATEN_"))}


def quartiles(values: list[float]) -> dict[str, float]:
    low, middle, high = statistics.quantiles(values, n=4)
    return {"median": round(middle, 4), "low": round(low, 4), "high": round(high, 4)}


def lines_of(command: list[str], **variables: str) -> Iterator[dict[str, Any]]:
    """The lines of JSON that a program prints, as they come."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**CLEAN, **variables}, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}")


def timed(*arguments: str, **variables: str) -> tuple[float, list[str]]:
    """Milliseconds, and the libraries that were opened meanwhile, as a process of its own measured them."""
    command = [str(BUILD / "bench" / "myops_bench_load"), *arguments]
    output = subprocess.run(command, check=True, capture_output=True, text=True, env={**CLEAN, **variables}).stdout
    first, *opened = output.splitlines()
    return float(first), opened


def answer(*arguments: str) -> dict[str, Any]:
    """What the `myops` command says in JSON."""
    output: dict[str, Any] = json.loads(subprocess.check_output([str(BUILD / "bin" / "myops"), *arguments]))
    return output


def load_part(rounds: int) -> dict[str, Any]:
    _, order = timed("load")
    timed("dlopen", *order)  # both have read the files from disk now
    ours, plain, ratios = [], [], []
    for number in range(rounds):
        if number % 2 == 0:
            (one, opened), (other, _) = timed("load"), timed("dlopen", *order)
        else:
            (other, _), (one, opened) = timed("dlopen", *order), timed("load")
        assert opened == order, (opened, order)
        ours.append(one)
        plain.append(other)
        ratios.append(one / other)
    result: dict[str, Any] = {
        "libraries": len(order),
        "load_ms": quartiles(ours),
        "dlopen_ms": quartiles(plain),
        "load_to_dlopen": quartiles(ratios),
    }
    print(f"check and load {len(order)} libraries: {show(result['load_ms'])} ms")
    print(f"plain dlopen of the same: {show(result['dlopen_ms'])} ms; ratio {show(result['load_to_dlopen'])}")
    with tempfile.TemporaryDirectory() as temporary:
        plugins = Path(order[0]).parent
        for name, make in (("plan_of_10", ten_libraries), ("plan_of_20000", many_files)):
            folder = make(plugins, Path(temporary) / name)
            times = [timed("plan", **{SEARCHED_ALONE: str(folder)})[0] for _ in range(rounds + 1)][1:]
            result[f"{name}_ms"] = quartiles(times)
            print(f"{name.replace('_', ' ')}: {show(result[f'{name}_ms'])} ms, the first call of a process")
    return result


def loader_part(rounds: int) -> dict[str, Any]:
    _, order = timed("load")
    plugins = Path(order[0]).parent
    judging, planning = [], []
    for _ in range(rounds):
        plain, _ = timed("dlopen", *order)
        judging.append(timed("check", *order)[0] / plain)
        planning.append(timed("plan")[0] / plain)
    result: dict[str, Any] = {"judge_to_dlopen": quartiles(judging), "plan_to_dlopen": quartiles(planning)}
    print(f"judging {len(order)} libraries / plain dlopen of them: {show(result['judge_to_dlopen'])}")
    print(f"a plan of all there are, its dispatcher asked, / the same: {show(result['plan_to_dlopen'])}")
    with tempfile.TemporaryDirectory() as temporary:
        plan = [str(BUILD / "bin" / "myops"), "plan", "--json"]
        result["refused"] = loader.per_refused(plan, plugins, Path(temporary), CLEAN, SEARCHED_ALONE)
        print("a refused library: {calls:.3g} system calls, {kib:.3g} KiB read".format(**result["refused"]))
        planned = lambda folder: timed("plan", **{SEARCHED_ALONE: str(folder)})[0]  # noqa: E731
        result["growth"] = loader.growth(planned, plugins, Path(temporary), min(rounds, 5))
        for name, times in result["growth"].items():
            line = "{few_ms:.3g} ms for 10, {many_ms:.3g} ms for 1,000: {ratio:.3g} times".format(**times)
            print(f"plan of libraries, {name}: {line}")
    result["import"] = quartiles(loader.import_shares(rounds, loader.with_package(CLEAN, BUILD)))
    print(f"import myops / import torch: {show(result['import'])}")
    return result


def show(value: dict[str, float]) -> str:
    return f"{value.get('median', value.get('ratio')):.3g} [{value['low']:.3g} to {value['high']:.3g}]"


def calls_part(rounds: int) -> list[dict[str, Any]]:
    print(f"{'call on 4 elements':24}{'keys':15}{'ours':>8}{'ATen':>8} ns   ours / ATen")
    found = []
    program = [str(BUILD / "bench" / "myops_bench_calls"), str(rounds), "2000"]
    for line in lines_of(program, OMP_NUM_THREADS="1"):
        found.append(line)
        times = f"{line['ours_ns']:>8.0f}{line['peer_ns']:>8.0f}"
        print(f"{line['name']:24}{line['stack']:15}{times}   {show(line)}  ({line['peer']})")
    return found


def disabled_above(level: str) -> str:
    levels = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
    return ",".join(f"libmyops_cpu.{wider}.so" for wider in levels[levels.index(level) + 1 :])


def fused_part(rounds: int) -> list[dict[str, Any]]:
    levels = [level for level in ("x86-64-v4", "x86-64-v3", "x86-64") if level <= answer("facts")["cpu_level"]]
    times = "times as fast as eager, compiled, clone"
    print(f"{'operator':20}{'dtype':10}{'shape':12}{'level':11}{'ms':>8}{'GB/s':>7}   {times}")
    found = []
    for level in levels:
        for line in lines_of(
            [sys.executable, str(HERE / "fused.py"), str(rounds)], MYOPS_DISABLE=disabled_above(level)
        ):
            assert line["library"].endswith(f".{level}.so") or level == "x86-64", (line, level)
            found.append({**line, "level": level})
            shape = "x".join(map(str, line["shape"]))
            where = f"{line['name']:20}{line['dtype']:10}{shape:12}{level:11}"
            speed = f"{line['ours_ms']:>8.3f}{line['gb_per_s']:>7.1f}"
            print(f"{where}{speed}   {show(line['eager'])}  {show(line['compile'])}  {show(line['clone'])}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench",
        description=__doc__,
        epilog="example: ./dev bench calls --rounds 5",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", nargs="*", help=f"{', '.join(PARTS)} [all of them]")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each measurement [%(default)s]")
    parser.add_argument("--output", type=Path, default=BUILD / "bench" / "result.json", help="JSON [%(default)s]")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("--rounds: two or more, or there is no spread")
    for unknown in set(arguments.part) - set(PARTS):
        parser.error(f"no such part: {unknown} (there are: {' '.join(PARTS)})")
    parts = {"load": load_part, "loader": loader_part, "calls": calls_part, "fused": fused_part}
    results: dict[str, Any] = {"format": 1, "host": answer("facts")}
    for part in PARTS:
        if part in (arguments.part or PARTS):
            results[part] = parts[part](arguments.rounds)
    results["goals"] = goals(results)
    for goal in results["goals"]:
        limit = f"{'at most' if goal['upper'] else 'at least'} {goal['limit']}"
        print(f"{'reached' if goal['reached'] else 'MISSED '}  {goal['goal']}: {goal['value']:.3g} ({limit})")
    arguments.output.write_text(json.dumps(results, indent=1) + "\n")
    print(f"written to {arguments.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
