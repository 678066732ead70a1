# Sourced by scripts/run, scripts/test, scripts/check: finds a Python, makes the virtual environment, installs maitred.
#
#   PYTHON        interpreter to use (default: the first of python3, python, python3.14 ... python3.11 that is new enough)
#   MAITRED_VENV  where the environment lives (default: .venv in the checkout)
#
# The install is a plain one, so what runs is what a user gets. It is skipped only when the environment was made from
# exactly these files by exactly this interpreter. Progress goes to stderr; stdout belongs to the program that is run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${MAITRED_VENV:-$root/.venv}
case "$venv" in /*) ;; *) venv=$PWD/$venv ;; esac
unset PYTHONPATH PYTHONHOME # a checkout on the path would hide the installed package

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
    local name
    if [ -n "${PYTHON:-}" ]; then
        command -v "$PYTHON" >/dev/null 2>&1 || die "PYTHON=$PYTHON is not a program that can be run."
        new_enough "$PYTHON" || die "maitred needs Python 3.11 or newer; PYTHON=$PYTHON is $("$PYTHON" --version 2>&1)."
        python=$PYTHON
        return
    fi
    for name in python3 python python3.14 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null 2>&1 && new_enough "$name"; then
            python=$name
            return
        fi
    done
    die "maitred needs Python 3.11 or newer and none was found ($(python3 --version 2>&1 || true)); name one with PYTHON=/path/to/python."
}

# Copies what a build needs to $2 (a build inside the checkout would leave a build/ folder whose stale files end up in
# the next wheel) and prints a digest of the copied files: the layers that pyproject.toml lists and a few files beside
# them, and nothing else that lies in the checkout, such as a flow that somebody tries out.
copy_sources() {
    "$python" - "$1" "$2" <<'PY'
import hashlib, shutil, sys, tomllib
from pathlib import Path

root, target = Path(sys.argv[1]), Path(sys.argv[2])
FILES = ("pyproject.toml", "README.md", "LICENSE", "__init__.py", "__main__.py", "py.typed")
setuptools = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
layers = sorted({name.split(".")[1] for name in setuptools["packages"] if "." in name})

def skipped(path):
    return path.name.startswith(".") or path.name == "__pycache__" or path.suffix == ".pyc"

def files(folder):
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not skipped(path):
            yield from files(path)
        elif path.is_file() and not skipped(path):
            yield path

digest = hashlib.sha256()
for path in [*(root / name for name in FILES), *(path for layer in layers for path in files(root / layer))]:
    place = target / path.relative_to(root)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, place)
    digest.update(f"{path.relative_to(root)}\0{place.stat().st_size}\0".encode())
    digest.update(place.read_bytes())
print(digest.hexdigest())
PY
}

# prepare_venv [EXTRA]: afterwards "$venv" holds an installed maitred, with the extra if one is named.
prepare_venv() {
    local extra=${1:-} stamp=$venv/.maitred-installed copy key
    find_python
    copy=$(mktemp -d "${TMPDIR:-/tmp}/maitred-source.XXXXXX")
    # shellcheck disable=SC2064 # expanded now: `copy` is gone when the trap runs
    trap "rm -rf '$copy'" EXIT
    key=$("$python" -c 'import sys; print(sys.version.split()[0], sys.base_prefix)')
    key="$key $(copy_sources "$root" "$copy")"

    # An environment that has the extra keeps it when `scripts/run`, which needs none, renews it.
    if [ -f "$stamp" ] && [ -z "$extra" ]; then extra=$(sed -n 's/^extra=//p' "$stamp"); fi
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key"$'\n'"extra=$extra" ] && "$venv/bin/python" -c 'import maitred' 2>/dev/null; then
        say "maitred in $venv is up to date"
    else
        make_venv "$stamp"
        say "installing maitred${extra:+ with its extra '$extra'} into $venv"
        "$venv/bin/python" -m pip install -qq --disable-pip-version-check "$copy${extra:+[$extra]}" >&2 ||
            die "the installation failed; the lines above say why (a first installation needs a package index)."
        printf '%s\nextra=%s\n' "$key" "$extra" >"$stamp"
    fi
    rm -rf "$copy"
    trap - EXIT
    (cd "$venv" && ./bin/python -c '
import pathlib, sys, maitred
sys.exit(not pathlib.Path(maitred.__file__).resolve().is_relative_to(pathlib.Path(sys.prefix).resolve()))
') || die "maitred is not imported from $venv; delete that folder and try again."
}

# Makes the environment anew unless the one that is there belongs to the chosen interpreter. Drops the stamp first, so
# that an installation that breaks off half way is not taken for a good one.
make_venv() {
    rm -f "$1"
    local version='import sys; print(sys.version, sys.base_prefix)'
    if [ -x "$venv/bin/python" ] && [ "$("$venv/bin/python" -c "$version" 2>&1)" = "$("$python" -c "$version")" ] &&
        "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        return
    fi
    if [ -e "$venv" ] && [ ! -f "$venv/pyvenv.cfg" ]; then
        die "$venv exists and is no virtual environment; remove it or name another place with MAITRED_VENV."
    fi
    say "making a virtual environment in $venv ($("$python" --version))"
    "$python" -m venv --clear "$venv" >&2 ||
        die "python -m venv failed; on Debian and Ubuntu the package python3-venv is missing."
}
