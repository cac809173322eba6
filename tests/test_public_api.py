"""What is public: every module says it, every public name is documented, and the examples print what they show."""

from __future__ import annotations

import ast
import doctest
import re
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("graph", "retrieval", "prompts", "agent", "evals")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if path.name != "__main__.py")
STABLE = re.findall(
    r"^\| `([\w.]+)` \| (`\w+`(?:, `\w+`)*) \|$", (ROOT / "docs" / "python.md").read_text(), re.MULTILINE
)


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _public(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return None


def _definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    """Return the statement that binds each name of a module."""
    found: dict[str, ast.stmt] = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = node
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
                found |= {name.id: node for name in ast.walk(target) if isinstance(name, ast.Name)}
            case ast.ImportFrom(names=aliases):
                found |= {alias.asname or alias.name: node for alias in aliases}
    return found


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_every_module_says_what_of_it_is_public(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    holds_only_words = all(isinstance(node, ast.Expr) for node in tree.body)
    is_script = any(isinstance(node, ast.If) and "__main__" in ast.unparse(node.test) for node in tree.body)
    if not (holds_only_words or is_script):
        public = _public(tree)
        assert public is not None
        assert len(set(public)) == len(public)
        assert set(public) <= _definitions(tree).keys()


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_every_public_function_and_class_is_documented(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = _definitions(tree)
    for name in _public(tree) or ():
        if isinstance(node := found[name], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            assert ast.get_docstring(node), name


def test_there_are_stable_names():
    assert len(STABLE) > 10


@pytest.mark.parametrize(("module", "names"), STABLE)
def test_the_names_that_docs_call_stable_are_public_and_documented(module: str, names: str):
    imported = import_module(module)
    for name in re.findall(r"\w+", names):
        assert name in imported.__all__
        value = getattr(imported, name)
        assert value.__doc__ if callable(value) else value


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_typed(package: str):
    assert (files(package) / "py.typed").is_file()


@pytest.mark.parametrize("path", [path for path in MODULES if ">>>" in path.read_text(encoding="utf-8")], ids=_name)
def test_examples_in_docstrings_print_what_they_show(
    path: Path, builtin_index_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NONLIQUET_CACHE", str(builtin_index_folder.parent))
    result = doctest.testmod(import_module(_name(path)))
    assert result.attempted > 0
    assert result.failed == 0
