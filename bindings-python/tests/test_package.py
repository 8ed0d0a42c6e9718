"""What goes with the code: stubs, metadata, and the example of the package's own page."""

import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path

import firstseen

HERE = Path(__file__).resolve().parent


def run(*arguments, folder):
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_stubs_say_what_the_module_has(tmp_path):
    run("-m", "mypy.stubtest", "firstseen", folder=tmp_path)


def test_the_sample_is_typed_as_it_says(tmp_path):
    sample = str(HERE / "typed_sample.py")
    run("-m", "mypy", "--strict", "--warn-unused-ignores", sample, folder=tmp_path)


def test_the_wheel_brings_types_and_metadata():
    files = resources.files("firstseen")
    assert files.joinpath("py.typed").is_file()
    assert files.joinpath("_native.pyi").is_file()
    about = metadata.metadata("firstseen")
    assert about["Version"] == firstseen.__version__
    assert about["License-Expression"] == "MIT OR Apache-2.0"
    assert about.get_all("License-File") == ["LICENSE-APACHE", "LICENSE-MIT"]
    assert about["Description-Content-Type"].startswith("text/markdown")
    assert metadata.requires("firstseen") == ["prometheus-client>=0.16 ; extra == 'prometheus'"]


def test_the_example_of_the_package_page_runs(tmp_path):
    page = metadata.metadata("firstseen").get_payload()
    example = page.split("```python\n")[1].split("```")[0]
    printed = run("-c", example, folder=tmp_path)
    assert printed == "process evt_1\nprocess evt_2\ndrop evt_1\n"


def test_the_examples_of_the_module_run(tmp_path):
    run("-c", "import doctest, firstseen; assert doctest.testmod(firstseen) == (0, 21)", folder=tmp_path)
