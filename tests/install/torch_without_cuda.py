"""Makes of the libtorch_cpu.so of a CUDA build what a build without CUDA has: no need of libraries of CUDA.

Only tables of the dynamic linker change, no byte of code. The functions of libcudart and libcupti stay undefined; they
are bound when first called, and nobody calls them without a GPU. Knows nothing of myops.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from elftools.elf.elffile import ELFFile

OF_CUDA = re.compile(
    r"cuda|cupti|cublas|cudnn|cufft|curand|cusolver|cusparse|nvidia|nvrtc|nccl|nvshmem|nvjitlink|nvtx", re.IGNORECASE
)
VALUE = 8  # of d_val in Elf64_Dyn
NEXT = 12  # of vn_next in Elfxx_Verneed (Linux Standard Base, "Symbol Version Requirements")


def take_cuda_out(library: Path) -> list[str]:
    """Changes the file; tells which libraries it needed until then."""
    with library.open("rb") as file:
        elf = ELFFile(file)
        dynamic, versions = elf.get_section_by_name(".dynamic"), elf.get_section_by_name(".gnu.version_r")
        tags = [(dynamic["sh_offset"] + i * dynamic["sh_entsize"], tag) for i, tag in enumerate(dynamic.iter_tags())]
        records = [record.name for record, _ in versions.iter_versions()]
    needed = {offset: tag for offset, tag in tags if tag.entry.d_tag == "DT_NEEDED"}
    (count,) = (offset for offset, tag in tags if tag.entry.d_tag == "DT_VERNEEDNUM")
    (libc,) = (tag.entry.d_val for tag in needed.values() if tag.needed == "libc.so.6")
    removed = [tag.needed for tag in needed.values() if OF_CUDA.search(tag.needed)]
    assert records[0] not in removed
    with library.open("r+b") as file:

        def read(offset: int) -> int:
            file.seek(offset)
            return int(struct.unpack("<I", file.read(4))[0])

        def write(offset: int, layout: str, value: int) -> None:
            file.seek(offset)
            file.write(struct.pack(layout, value))

        for offset, tag in needed.items():
            if tag.needed in removed:
                write(offset + VALUE, "<Q", libc)  # needed twice is needed once
        at = kept = versions["sh_offset"]
        for name in records:
            following = at + read(at + NEXT)
            if name not in removed:
                if at != kept:
                    write(kept + NEXT, "<I", at - kept)
                kept = at
            at = following
        write(kept + NEXT, "<I", 0)
        write(count + VALUE, "<Q", sum(name not in removed for name in records))
    return removed
