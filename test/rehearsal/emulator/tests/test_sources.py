"""Rules for the sources as a whole."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import account

_sources = Path(account.__file__).parent
_package = _sources.parent.parent
_longest = 250


def _module(file: Path) -> str:
    return ".".join(file.relative_to(_sources.parent).with_suffix("").parts).removesuffix(".__init__")


def _imports(file: Path) -> set[str]:
    """Our own modules that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.startswith("account.")}


def _part(module: str) -> str:
    """The folder below the package that a module is in, or the module itself."""
    return module.split(".")[1]


def test_folders_import_each_other_one_way() -> None:
    files = [file for file in _sources.rglob("*.py") if _module(file) != "account"]
    assert len(files) > 40
    arrows: dict[str, set[str]] = {}
    for file in files:
        own = _part(_module(file))
        arrows.setdefault(own, set()).update({_part(name) for name in _imports(file)} - {own})
    order = list(TopologicalSorter(arrows).static_order())
    assert order.index("cloudformation") < order.index("gate") < order.index("server")


def test_modules_import_each_other_one_way() -> None:
    modules = {_module(file): file for file in _sources.rglob("*.py")}
    arrows = {name: (_imports(file) & modules.keys()) - {name} for name, file in modules.items()}
    TopologicalSorter(arrows).prepare()  # Raises where there is a circle.


def test_no_file_is_too_long_to_be_read_at_once() -> None:
    files = [*_sources.rglob("*.py"), *(_package / "tests").rglob("*.py")]
    lengths = {str(file): len(file.read_text().splitlines()) for file in files}
    assert {file: length for file, length in lengths.items() if length > _longest} == {}
