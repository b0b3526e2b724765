"""What the NVIDIA driver says of its GPUs, asked in a child process, with a library that stands in for the driver's."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from support.build_tree import BUILD
from support.process import run_myops

FAKE = {"LD_LIBRARY_PATH": str(BUILD / "tests" / "fakes" / "nvml")}


def test_child_tells_every_device() -> None:
    outcome = run_myops("child", "gpus", "{}", env=FAKE)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert json.loads(outcome.stdout) == {
        "driver": "580.65.06",
        "gpus": [
            {"name": "NVIDIA H200", "capability": "9.0", "uuid": "GPU-11111111-aaaa"},
            {"name": "NVIDIA L4", "capability": "8.9", "uuid": "GPU-22222222-bbbb"},
        ],
    }


def test_error_of_the_driver_is_told_in_its_words() -> None:
    outcome = run_myops("child", "gpus", "{}", env={**FAKE, "FAKE_NVML": "fail"})
    assert json.loads(outcome.stdout) == {"error": "nvmlInit_v2: Driver Not Loaded"}


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="this machine has a GPU, and is to ask")
@pytest.mark.parametrize("command", ["plan", "doctor", "facts"])
@pytest.mark.parametrize("deed", ["hang", "crash"])
def test_machine_without_a_gpu_never_asks(command: str, deed: str) -> None:
    """No device file, no question: a driver library that would hang or crash stays closed."""
    started = time.monotonic()
    outcome = run_myops(command, env={**FAKE, "FAKE_NVML": deed})
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert time.monotonic() - started < 9
