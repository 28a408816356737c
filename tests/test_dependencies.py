#!/usr/bin/env python3
"""The rules of the house that a compiler does not see:

  - an #include has its path from the root, and runs only down: a room includes itself and the rooms
    that ALLOWED names;
  - no circle of includes, between rooms or between files (NAME.c and NAME.h are one file, that
    depends on what it includes and on the files whose functions it uses);
  - C++ libraries are included in .cpp and .hpp files only;
  - a library neither prints nor ends the program;
  - no source over 600 lines;
  - no folder of more than 30 sources: it lacks a room.

    test_dependencies.py ROOT
"""
import os
import re
import sys
from collections import Counter

# From the ground up. A room is the longest of these names that a file's path begins with. "core" of
# another room means core/ with its rooms.
NODE = "solver/kernels solver/inflow"
BACKENDS = "solver/lattice solver/cpu solver/cuda/blocks solver/cuda solver/ranks solver/plane"
DRIVER = "solver solver/plan solver/samples solver/run"
SOLVER = f"{NODE} {BACKENDS} {DRIVER}"
SLICES = "import/common import/slices"
IMPORT = f"{SLICES} import/dicom import/series import/image import/surface/formats import/surface"
OPENINGS = "segment/shape segment/openings"
REPORT = "export/report"
EXPORT = "export/wall export/beat export/lines export/files export/pictures export/sac export/dicom"
PARTS = "segment/shape segment/openings segment/settings segment/surface segment/quality export/wall export/beat export/drawing export/sac"
RUN = "pipeline/state pipeline/record pipeline/lattice pipeline/inputs pipeline/keep pipeline/mask pipeline/numbers"
ALLOWED = {
    "core": "",
    "core/text": "",
    "core/numbers": "core",
    "core/disk": "core",
    "core/formats": "core core/text",
    "core/machine": "core core/text core/disk",
    "core/vessel": "core core/text core/numbers core/machine",
    "core/work": "core core/vessel",
    "ranks": "core",
    "tiling": "core",
    "solver/kernels": "core tiling",
    "solver/inflow": "core solver/kernels",
    "solver/lattice": f"core ranks tiling {NODE}",
    "solver/cpu": f"core tiling {NODE} solver/lattice",
    "solver/cuda/blocks": f"core tiling {NODE} solver/lattice",
    "solver/cuda": f"core tiling {NODE} solver/lattice solver/cuda/blocks",
    "solver/ranks": f"core ranks tiling {NODE} solver/lattice",
    "solver/plane": f"core tiling {NODE} solver/lattice solver/cuda/blocks solver/cuda",
    "solver": f"core tiling {NODE} solver/lattice solver/ranks",
    "solver/plan": f"core tiling {NODE} solver/lattice solver",
    "solver/samples": "core solver/lattice solver",
    "solver/run": f"core tiling {NODE} solver/lattice solver/ranks solver solver/plan solver/samples",
    "solver/copy_rate": "core solver/lattice solver/cuda",
    "solver/ladder": "core solver/kernels solver/lattice solver/cuda/blocks solver/cuda",
    "segment/shape": "core",
    "segment/openings": "core segment/shape",
    "segment/domain": "core segment/shape",
    "segment/voxels": "core",
    "segment/settings": "core",
    "segment/level": "core segment/shape segment/voxels segment/settings",
    "segment/surface": f"core {OPENINGS} segment/voxels",
    "segment/between": "core segment/shape segment/voxels segment/settings",
    "segment/quality": "core segment/shape segment/voxels",
    "segment/candidates": f"core {OPENINGS} segment/voxels segment/level",
    "segment": "core segment/voxels segment/settings segment/level segment/surface segment/between segment/candidates",
    "import/common": "core",
    "import/slices": "core",
    "import/dicom": "core import/slices",
    "import/series": f"core {SLICES} import/dicom",
    "import/image": f"core {SLICES}",
    "import/surface/formats": "core import/common",
    "import/surface": "core import/common import/surface/formats",
    "import": f"core {IMPORT}",
    "export/wall": "core",
    "export/beat": "core",
    "export/drawing": "core",
    "export/lines": "core",
    "export/sac": "core export/wall export/lines",
    "export/files": "core export/wall export/beat",
    "export/pixels": "core export/wall export/lines export/drawing",
    "export/pictures": "core export/wall export/beat export/lines export/drawing export/pixels",
    "export/report": "core export/wall export/lines",
    "export/dicom_file": "core",
    "export/dicom": "core export/wall export/files export/dicom_file",
    "export": f"core {EXPORT}",
    "privacy": "core",
    "process": "core privacy",
    "files": "core process export/wall export/beat",
    "phantom/image": "core",
    "phantom": "core files phantom/image export/dicom_file",
    "phantom/scenes": "core phantom/image phantom",
    "validation/known": "core",
    "validation/runs": f"core tiling {SOLVER} phantom validation/known",
    "validation/flows": f"core tiling {SOLVER} export/wall validation/known validation/runs",
    "validation": "core export/drawing validation/flows",
    "bench": f"core tiling {SOLVER} solver/copy_rate solver/ladder import export/drawing phantom process files",
    "case_file": f"core files segment segment/domain {SOLVER}",
    "openings": f"core process files segment/openings {NODE} case_file",
    "pipeline/record": f"core privacy files phantom case_file {NODE} solver segment segment/quality import export/wall export/beat export/sac",
    "pipeline/state": "core privacy files case_file segment/openings import export export/wall export/beat export/report openings pipeline/record",
    "pipeline/lattice": f"core process segment/openings {NODE} solver/lattice solver solver/plan solver/copy_rate ranks export/wall openings pipeline/state",
    "pipeline/inputs": "core process files segment/shape segment/openings import openings pipeline/state pipeline/lattice",
    "pipeline/keep": "core privacy process files case_file pipeline/record pipeline/state",
    "pipeline/mask": "core process segment segment/openings segment/quality segment/settings case_file openings pipeline/record pipeline/state pipeline/inputs",
    "pipeline/numbers": "core privacy process files segment/openings tiling solver/kernels solver/cuda/blocks solver solver/plan openings pipeline/record pipeline/state pipeline/lattice pipeline/mask",
    "pipeline/stages": f"core privacy process files phantom import segment/settings segment/surface export/wall export/beat openings {RUN}",
    "pipeline": f"core process {RUN} pipeline/stages",
    "pipeline/studies": f"core process segment/surface solver solver/plan export/drawing {RUN} pipeline/stages pipeline",
    "batch": "core privacy process files case_file export/drawing export/report pipeline/record",
    "compare": f"core process files import/common import/surface/formats import/surface segment/shape {EXPORT} export/drawing export/pixels {REPORT} case_file pipeline/record",
    "pacs": "core process files export/dicom_file",
    "app/manual": "core process",
    "app/common": "core process case_file phantom solver/lattice ranks",
    "app/stages": f"core process files import validation/flows bench app/common pipeline {RUN} pipeline/stages pipeline/studies",
    "app/tools": "core ranks batch compare pacs process files phantom phantom/scenes validation validation/flows bench case_file openings import export pipeline/record pipeline/numbers app/common app/stages",
    "app": "core process ranks case_file app/manual app/common solver solver/ranks",
}
SPEAKING_ROOMS = {"app", "app/stages", "app/tools", "batch", "bench", "pipeline", "process", "ranks"}  # they talk to the user
SOURCE = re.compile(r"\.(c|h|cpp|hpp|cu|cuh)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]*)[">]', re.M)
DEFINITION = re.compile(r"^(?!static\b)\w[\w *\n]*?\b(ht_\w+)\([^;{}]*\)\s*\{", re.M)
CALL = re.compile(r"\b(ht_\w+)\b")
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
GENERATED = {"commit.h"}
CPP_ONLY = re.compile(r"itk[A-Z]|vtk[A-Z]|dcmtk/|gdcm")
SPEAKS = re.compile(
    r"(^|[^A-Za-z0-9_.>:])(printf|puts|putchar|vprintf|perror|exit|_exit|abort) *\("
    r"|(fprintf|fputs|fputc|fwrite|fflush) *\([^;]*std(err|out)"
    r"|std::(cout|cerr) *(<<|\.(write|put|flush))")

failures = []


def complain(text):
    failures.append(text)
    print(text)


def room_of(path):
    parts = os.path.dirname(path).split("/")
    for end in range(len(parts), 0, -1):
        name = "/".join(parts[:end])
        if name in ALLOWED:
            return name
    return parts[0]


def find_sources():
    """{path: text} of the rooms and the tests."""
    found = {}
    for top in sorted({room.split("/")[0] for room in ALLOWED} | {"tests"}):
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                if SOURCE.search(name):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        found[path] = file.read()
    return found


def check_sizes(sources):
    for path, text in sources.items():
        lines = text.count("\n")
        if lines > 600:
            complain(f"{path}: {lines} lines; at most 600")
        if not path.startswith("tests/") and room_of(path) not in ALLOWED:
            complain(f"{path}: this room is not in ALLOWED")
    for folder, count in Counter(map(os.path.dirname, sources)).items():
        if count > 30:
            complain(f"{folder}: {count} sources; at most 30: move some into a sub-room")


def may_include(here, there):
    if not here.startswith("core") and there.startswith("core/"):
        there = "core"
    return there == here or there in ALLOWED[here].split()


def check_include(path, quote, name, sources):
    """Whether a source of this project is included, and may be."""
    if CPP_ONLY.match(name) and not path.endswith((".cpp", ".hpp")):
        complain(f"{path}: {name} belongs into a .cpp file behind a C header")
    if name not in sources:
        if quote == '"' and name not in GENERATED:
            complain(f"{path}: there is no {name}: an include has its path from the root")
        return False
    if path.startswith("tests/"):
        return False
    here, there = room_of(path), room_of(name)
    if not may_include(here, there):
        complain(f"{path}: {here}/ may not include {name}")
    return True


def find_circles(graph):
    """The strongly connected parts of more than one node (Tarjan's algorithm)."""
    index, low, stack, circles = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1:
                circles.append(sorted(part))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return circles


def stem(path):
    """One name for NAME.h, NAME.c, and NAME_none.c, which stands in where a library is missing."""
    return re.sub(r"(_none)?\.\w+$", "", path)


def find_uses(sources):
    """{file: files whose functions it uses}, by stem, without the tests."""
    home, plain = {}, {}
    for path, text in sources.items():
        if not path.startswith("tests/") and not path.endswith((".h", ".hpp", ".cuh")):
            plain[path] = NO_CODE.sub(" ", text)
            for name in DEFINITION.findall(plain[path]):
                home.setdefault(name, set()).add(stem(path))
    uses = {}
    for path, text in plain.items():
        here = stem(path)
        for name in set(CALL.findall(text)):
            if here not in home.get(name, {here}):
                uses.setdefault(here, set()).update(home[name])
    return uses


def check_includes(sources):
    files, rooms, count = find_uses(sources), {}, 0
    for path, text in sources.items():
        for quote, name in INCLUDE.findall(text):
            count += 1
            if not check_include(path, quote, name, sources):
                continue
            here, there = stem(path), stem(name)
            if here != there:
                files.setdefault(here, set()).add(there)
            if room_of(path) != room_of(name):
                rooms.setdefault(room_of(path), set()).add(room_of(name))
    for circle in find_circles(files) + find_circles(rooms):
        complain(f"a circle of includes: {' '.join(circle)}")
    return count


def check_silence(sources):
    for path, text in sources.items():
        if path.startswith("tests/") or room_of(path) in SPEAKING_ROOMS:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if SPEAKS.search(line) and not re.match(r"\s*(\*|/\*|//)", line):
                complain(f"{path}:{number}: a library neither prints nor ends the program")


def main():
    os.chdir(sys.argv[1])
    sources = find_sources()
    check_sizes(sources)
    includes = check_includes(sources)
    check_silence(sources)
    if len(sources) < 30 or includes < 100:
        complain(f"only {len(sources)} sources, {includes} includes found in {sys.argv[1]}")
    print(f"{len(sources)} sources, {includes} includes, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
