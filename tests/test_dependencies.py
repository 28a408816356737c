#!/usr/bin/env python3
"""The rules of the house that a compiler does not see:

  - an #include has its path from the root, and runs only down: a room includes itself and the rooms
    that ALLOWED names;
  - no circle of includes, between rooms or between files (NAME.c and NAME.h are one file, that
    depends on what it includes and on the files whose functions it uses);
  - C++ libraries are included in .cpp and .hpp files only;
  - a library neither prints nor ends the program;
  - no source over 600 lines;
  - no folder of more than 30 sources: it lacks a room;
  - no page (.md) has a line over 120 columns.

    test_dependencies.py ROOT
"""
import os
import re
import sys
from collections import Counter

# From the ground up. A room is the longest of these names that a file's path begins with. "core" of
# another room means core/ with its rooms, but not core/mpi.
NODE = "solver/kernels solver/inflow"
BACKENDS = "solver/lattice solver/cpu solver/cuda/blocks solver/cuda solver/ranks"
STEP = "solver/run/ports solver/run/step"
DRIVER = "solver solver/plan solver/samples solver/run"
SOLVER = f"{NODE} {BACKENDS} {DRIVER}"
SLICES = "import/common import/slices"
IMPORT = f"{SLICES} import/dicom import/series import/phase_contrast import/image import/surface/formats import/surface"
OPENINGS = "segment/shape segment/openings"
REPORT = "export/report"
EXPORT = "export/wall export/beat export/lines export/files export/pictures export/sac export/dicom"
PARTS = "segment/shape segment/openings segment/settings segment/surface segment/quality export/wall export/beat export/drawing export/sac"
RUN = "run/edit run/measured run/state run/record run/lattice run/inputs run/checkpoint run/mask run/numbers"
ALLOWED = {
    "core": "",
    "core/text": "",
    "core/numbers": "core",
    "core/disk": "core",
    "core/formats": "core core/text core/disk",
    "core/machine": "core core/text core/disk",
    "core/vessel": "core core/text core/numbers core/machine",
    "core/work": "core core/vessel",
    "core/mpi": "core",
    "tiling": "core",
    "solver/kernels": "core tiling",
    "solver/inflow": "core solver/kernels",
    "solver/lattice": f"core core/mpi tiling {NODE}",
    "solver/cpu": f"core tiling {NODE} solver/lattice",
    "solver/cuda/blocks": f"core tiling {NODE} solver/lattice",
    "solver/cuda": f"core tiling {NODE} solver/lattice solver/cuda/blocks",
    "solver/ranks": f"core core/mpi tiling {NODE} solver/lattice",
    "solver/levels": f"core tiling {NODE} solver/lattice",
    "bench/papers/plane": f"core tiling {NODE} solver/lattice solver/cuda/blocks solver/cuda",
    "solver": f"core tiling {NODE} solver/lattice solver/ranks",
    "solver/plan": f"core tiling {NODE} solver/lattice solver",
    "solver/samples": "core solver/lattice solver/levels solver",
    "solver/run/ports": "core solver/inflow solver/lattice solver/plan",
    "solver/run/step": "core solver solver/plan solver/samples solver/run/ports",
    "solver/run/steady": f"core tiling solver/lattice solver/plan solver/samples {STEP}",
    "solver/run/pulse": f"core solver solver/plan solver/samples {STEP}",
    "solver/run/coarse": f"core solver/samples {STEP}",
    "solver/run": f"core solver/ranks solver solver/plan solver/samples {STEP} solver/run/steady solver/run/pulse solver/run/coarse",
    "solver/copy_rate": "core solver/lattice solver/cuda",
    "bench/papers/ladder": "core solver/kernels solver/lattice solver/cuda/blocks solver/cuda",
    "segment/shape": "core",
    "segment/openings": "core segment/shape",
    "segment/domain": "core segment/shape",
    "segment/voxels": "core",
    "segment/settings": "core",
    "segment/level": "core segment/shape segment/voxels segment/settings",
    "segment/surface": f"core {OPENINGS} segment/voxels",
    "segment/path": "core segment/shape segment/voxels segment/settings",
    "segment/quality": "core segment/shape segment/voxels",
    "segment/candidates": f"core {OPENINGS} segment/voxels segment/level",
    "segment/edit": "core segment/shape segment/voxels segment/surface",
    "segment": "core segment/voxels segment/learned segment/settings segment/level segment/surface segment/path segment/candidates",
    "segment/learned": "core segment/voxels",
    "segment/learned/train": "core phantom/labelled",
    "import/common": "core",
    "import/slices": "core",
    "import/dicom": "core import/slices",
    "import/series": f"core {SLICES} import/dicom",
    "import/image": f"core {SLICES}",
    "import/flow_correction": "core import/common",
    "import/phase_contrast": f"core {SLICES} import/dicom import/series import/image",
    "import/surface/formats": "core import/common",
    "import/surface": "core import/common import/surface/formats",
    "import": f"core {IMPORT}",
    "export/wall": "core",
    "export/beat": "core",
    "export/drawing": "core",
    "export/lines": "core",
    "export/sac": "core export/wall export/lines",
    "export/measure": "core export/wall",
    "export/files": "core export/wall export/beat",
    "export/pixels": "core export/wall export/lines export/drawing",
    "export/pictures": "core export/wall export/beat export/lines export/drawing export/pixels",
    "export/report": "core export/wall export/lines",
    "export/dicom_file": "core",
    "export/dicom": "core export/wall export/files export/dicom_file",
    "export": f"core {EXPORT}",
    "run/privacy": "core",
    "run/process": "core run/privacy",
    "run/folder": "core run/process export/wall export/beat",
    "phantom/image": "core",
    "phantom/labelled": "core phantom/image",
    "phantom": "core run/folder phantom/image export/dicom_file",
    "phantom/scenes": "core phantom/image phantom",
    "phantom/phase_contrast": "core phantom/image phantom export/dicom_file",
    "validation/known": "core",
    "bench/papers/plane_flows": f"core tiling {SOLVER} bench/papers/plane validation/known validation/flows",
    "validation/runs": f"core tiling {SOLVER} phantom validation/known",
    "validation/flows": f"core tiling {SOLVER} export/wall validation/known validation/runs",
    "validation": "core export/drawing validation/flows bench/papers/plane_flows",
    "bench/papers/tables": "core solver/kernels solver/lattice",
    "bench/measure": f"core tiling {SOLVER} solver/levels solver/copy_rate bench/papers/ladder import run/process run/folder phantom bench/papers/tables",
    "bench/papers": "core tiling solver/cuda/blocks export/drawing phantom run/process run/folder bench/papers/tables bench/measure",
    "bench": "core run/process bench/papers/tables bench/measure bench/papers",
    "run/case": f"core run/folder segment segment/domain {SOLVER}",
    "run/refine": f"core segment/shape segment/openings {NODE} solver/lattice solver",
    "run/openings": f"core run/process run/folder segment/openings {NODE} run/case",
    "run/record": f"core run/privacy run/folder phantom run/case {NODE} solver segment segment/quality import export/wall export/beat export/sac",
    "run/edit": "core run/folder run/record import export/files segment/voxels segment/edit",
    "run/state": "core run/privacy run/process run/folder run/case segment segment/openings import tiling export export/wall export/beat export/report run/openings run/refine run/record",
    "run/measured": f"core segment/shape export/pictures run/process run/folder run/case run/openings run/record solver/inflow import/common import/image import/phase_contrast import/flow_correction",
    "run/lattice": f"core tiling run/process run/case segment/domain segment/openings {NODE} solver/lattice solver solver/plan solver/copy_rate core/mpi export/wall run/openings run/refine run/state",
    "run/network": f"core run/process segment/openings {NODE} run/case run/openings",
    "run/inputs": "core run/network run/edit export/files run/process run/folder segment/shape segment/openings import run/openings run/state run/lattice",
    "run/checkpoint": "core run/edit export/files export/pictures run/privacy run/process run/folder run/case run/record run/state",
    "run/mask": "core export/pictures run/process segment segment/openings segment/quality segment/settings run/case run/openings run/record run/state run/inputs",
    "run/numbers": "core export/pictures run/privacy run/process run/folder run/case segment/openings tiling solver/kernels solver/cuda/blocks solver solver/plan run/openings run/record run/state run/lattice run/mask",
    "run/stages": f"core run/privacy run/process run/folder phantom import segment/settings segment/surface {EXPORT} run/openings {RUN}",
    "run": f"core import import/image segment/openings run/process run/folder run/case run/openings {RUN} run/stages",
    "run/studies": f"core core/mpi export/files run/process run/openings segment/domain segment/shape segment/surface tiling solver solver/plan export/drawing {RUN} run/stages run",
    "app/batch/cohort": "core run/process run/folder run/case export/report run/record",
    "app/batch": "core run/privacy run/process run/folder export/drawing run/record app/batch/cohort",
    "app/compare": f"core run/process run/folder import/common import/image import/phase_contrast import/flow_correction import/surface/formats import/surface segment/shape app/measure export/measure run/measured {EXPORT} export/drawing export/pixels {REPORT} run run/case run/record run/numbers",
    "app/measure": "core run/process run/folder import import/surface/formats segment/openings export/wall export/beat export/measure export/sac run/openings app/batch/cohort",
    "app/pacs": "core run/process run/folder export/dicom_file",
    "app/workbench/many": "core run/process run/folder app/batch/cohort app/pacs app/workbench app/workbench/cases app/workbench/server",
    "app/workbench/server": "core run/process run/folder",
    "app/workbench/cases": "core run run/folder app/batch/cohort app/workbench/server",
    "app/workbench": "core run run/case run/edit run/process run/folder export/wall segment/voxels segment/edit app/batch/cohort app/pacs app/measure app/workbench/cases app/workbench/server",
    "app/manual": "core run/process",
    "app/common": "core run/process run/case phantom phantom/phase_contrast solver/lattice core/mpi",
    "app/stages": f"core run/process run/folder import validation/flows bench/measure bench/papers app/common run {RUN} run/stages run/studies",
    "app/tools": "core core/mpi app/batch app/batch/cohort app/compare app/measure app/pacs app/workbench app/workbench/server run/process run/folder phantom phantom/phase_contrast phantom/scenes phantom/labelled validation validation/flows bench bench/measure run/case run/openings run/measured import import/series import/phase_contrast import/flow_correction export export/drawing export/pictures run/record run/numbers app/common app/stages",
    "app/slicer": "core run/process segment/settings solver/inflow app/common",
    "app": "core run/process core/mpi run/case app/manual app/common app/slicer solver solver/ranks",
}
SPEAKING_ROOMS = {"segment/learned/train", "app", "app/stages", "app/tools", "app/slicer", "app/batch", "app/workbench", "app/workbench/server", "bench", "bench/measure", "bench/papers", "run", "run/process", "core/mpi"}  # they talk to the user
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
    if not here.startswith("core") and there.startswith("core/") and there != "core/mpi":
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


def check_modules(folder):
    """Whether the modules of a page import only what others export: else the browser shows nothing."""
    texts = {name: open(os.path.join(folder, name), encoding="utf-8").read()
             for name in os.listdir(folder) if name.endswith(".js")}
    for name, text in texts.items():
        for words, other in re.findall(r'import \{([^}]*)\} from "\./([\w.]+)"', text):
            for word in words.replace(" ", "").split(","):
                if not re.search(rf"^export (async )?(const|let|function|class) {word}\b", texts.get(other, ""), re.M):
                    complain(f"{folder}/{name}: {other} exports no {word}")


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


def check_pages():
    for folder, inner, names in os.walk("."):
        inner[:] = [name for name in inner if not name.startswith((".", "build")) and name != "third_party"]
        for name in names:
            if not name.endswith(".md"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if len(line.rstrip("\n")) > 120:
                        complain(f"{path}:{number}: {len(line) - 1} columns; at most 120")


def main():
    os.chdir(sys.argv[1])
    sources = find_sources()
    check_sizes(sources)
    includes = check_includes(sources)
    check_silence(sources)
    check_pages()
    check_modules("app/workbench/page")
    if len(sources) < 30 or includes < 100:
        complain(f"only {len(sources)} sources, {includes} includes found in {sys.argv[1]}")
    print(f"{len(sources)} sources, {includes} includes, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
