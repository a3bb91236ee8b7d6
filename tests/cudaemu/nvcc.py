"""A stand-in for nvcc: compiles kernels with g++ into an image that only the emulated driver can load.

It knows the options that PyCUDA and attnviz hand to nvcc, refuses architectures as nvcc does, and needs gcc
on the PATH as nvcc does. `host_source` is used by sanitized.py too. Standard library only, and no other file:
build.py writes a launcher named ``nvcc`` that runs it. Its settings are listed in README.md.
"""

import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAGIC = b"CUDAEMU1"
FLAGS = ("-std=c++17", "-fPIC", "-g", "-w", "-ffp-contract=off", "-fvisibility=hidden", "-U_FORTIFY_SOURCE")
"""Contraction is off: the kernels say `fmaf` where they mean it, no other product may be fused."""

KERNEL = re.compile(
    r"__global__\s+(?:void\s+)?(?:__launch_bounds__\s*\(\s*(\d+)[^)]*\)\s*)?(?:void\s+)?(\w+)\s*\("
)
DYNAMIC_SHARED = re.compile(
    r"extern\s+__shared__\s+(?:__align__\s*\(\s*\d+\s*\)\s*)?([\w: ]+?)\s+(\w+)\s*\[\s*\]\s*;"
)
NO_GCC = "gcc: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler properties."
FORMATS = {"cubin", "ptx", "fatbin"}
WITH_VALUE = {"-arch", "-code", "-gencode", "-o", "--compiler-options", "-Xcompiler", "-ccbin", "-Xptxas"}
WITHOUT_EFFECT = ("-O", "-lineinfo", "--generate-line-info", "-std=", "--std=", "--fmad=", "-fmad=", "-m64")


def host_source(source: str) -> str:
    """The C++ of the host for the text of some kernels, with the table by which they are found and called."""
    source = DYNAMIC_SHARED.sub(r"\1 *\2 = (\1 *)cudaemu_dynamic_shared();", source)
    kernels = list(KERNEL.finditer(source))
    parts = [source[: kernels[0].start()]] if kernels else [source]
    for kernel, following in zip(kernels, [*kernels[1:], None], strict=True):
        text = source[kernel.start() : following.start() if following else None]
        section = f'CUDAEMU_SHARED("cudaemu_shared_{kernel[2]}")'
        parts.append(re.sub(r"\b__shared__\b", section, text))
    table = [f"CUDAEMU_SECTION({kernel[2]})" for kernel in kernels]
    table += ["CUDAEMU_TABLE_BEGIN"]
    table += [f"CUDAEMU_ENTRY({i}, {kernel[2]}, {kernel[1] or 1024})" for i, kernel in enumerate(kernels)]
    table += ["CUDAEMU_TABLE_END"]
    headers = f'#include "{HERE}/cuda_language.h"\n#include "{HERE}/kernel_table.h"\n#line 1 "kernel.cu"\n'
    return headers + "".join(parts) + '\n#line 1 "kernel table"\n' + "\n".join(table) + "\n"


def version() -> str:
    """What --version says. It names the very files of the emulator, as compiled code is kept by it."""
    files = [*sorted(HERE.glob("*.h")), HERE / "nvcc.py"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    name = "nvcc: CUDA emulator for tests (not NVIDIA's nvcc), compiles for the CPU"
    return f"{name}\nBuild cudaemu-{digest[:16]}\n"


def refusal(arch: str) -> str | None:
    """What nvcc says of an architecture that it does not know, None for one that it knows."""
    oldest = int(os.environ.get("CUDAEMU_NVCC_MIN") or 75)  # CUDA 13
    newest = int(os.environ.get("CUDAEMU_NVCC_MAX") or 121)
    number = re.fullmatch(r"(?:sm|compute)_(\d+)[af]?", arch)
    if number and oldest <= int(number[1]) <= newest:
        return None
    if newest < 80:  # the wording up to CUDA 10
        return f"nvcc fatal   : Value '{arch}' is not defined for option 'gpu-architecture'"
    return f"nvcc fatal   : Unsupported gpu architecture '{arch}'"


def compile_image(source: str, arch: str, options: list[str]) -> bytes:
    """The image of some kernels: magic, architecture, size, checksum, shared library. Raises SystemExit."""
    cxx = shutil.which(os.environ.get("CUDAEMU_CXX") or "g++")
    if cxx is None or shutil.which("gcc") is None:
        sys.exit(NO_GCC)
    flags = [*FLAGS, *(os.environ.get("CUDAEMU_CXXFLAGS") or "-O2 -march=native").split(), *options]
    with tempfile.TemporaryDirectory(prefix="cudaemu-") as folder:
        library = Path(folder, "kernels.so")
        command = [cxx, "-x", "c++", "-shared", *flags, "-", "-o", str(library)]
        result = subprocess.run(command, input=host_source(source), text=True, capture_output=True)
        if result.returncode:
            sys.exit(result.stderr)
        code = library.read_bytes()
    number = int(re.sub(r"\D", "", arch))
    return MAGIC + struct.pack("<QQQ", number, len(code), checksum(code)) + code


def checksum(code: bytes) -> int:
    """The first 8 bytes of a digest; the driver counts them alike in modules.cpp (sum of 8-byte words)."""
    padded = code + bytes(-len(code) % 8)
    return sum(struct.unpack(f"<{len(padded) // 8}Q", padded)) & (2**64 - 1)


def main(arguments: list[str]) -> None:
    """Do what nvcc would do with these arguments."""
    if "--version" in arguments or "-V" in arguments:
        sys.stdout.write(version())
        return
    result, arch, out, source, preprocess_only = "cubin", "sm_75", None, None, False
    options = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        name, _, value = argument.partition("=")
        if argument.lstrip("-") in FORMATS:
            result = argument.lstrip("-")
        elif argument in ("--preprocess", "-E"):
            preprocess_only = True
        elif name in WITH_VALUE or name == "--gpu-architecture":
            value = value or waiting.pop(0)
            arch = value if name in ("-arch", "--gpu-architecture") else arch
            out = value if name == "-o" else out
        elif argument.startswith(("-D", "-I", "-U")):
            options.append(argument)
        elif argument.endswith(".cu"):
            source = Path(argument)
        elif not argument.startswith(WITHOUT_EFFECT):
            sys.exit(f"nvcc fatal   : Unknown option '{argument}' (to the stand-in of the tests)")
    if source is None:
        sys.exit("nvcc fatal   : No input files specified; use option --help for more information")
    if message := refusal(arch):
        sys.exit(message)
    text = source.read_text(encoding="utf-8")
    if preprocess_only:
        sys.stdout.write(text)
        return
    image = compile_image(text, arch, options)
    Path(out or source.with_suffix("." + result)).write_bytes(image)


if __name__ == "__main__":
    main(sys.argv[1:])
