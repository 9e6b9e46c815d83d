"""The files for running it for others agree with one another and with the house."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.installed import built, environment
from tests.support.server import Visitor, request, served

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yml").read_text(encoding="utf-8"))
CADDY, COMMON = ((DEPLOY / n).read_text(encoding="utf-8") for n in ("Caddyfile", "common.caddy"))
DOCKER = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
DOCUMENT = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")


def test_the_proxy_finds_the_explorers_and_keeps_a_browser_on_one():
    name, port = re.search(r"{\$EXPLORERS:dynamic a (\S+) (\d+)}", COMMON).groups()
    service = COMPOSE["services"][name]
    assert service["expose"] == [port]
    assert f'"--server.port", "{port}"' in DOCKER
    assert "lb_policy cookie" in COMMON
    assert "import explorers" in CADDY
    assert COMPOSE["services"]["proxy"]["depends_on"] == [name]
    assert "ports" not in service, "only the proxy is reached from outside"


def test_what_is_served_is_public_and_takes_no_files():
    assert COMPOSE["services"]["explorer"]["environment"]["MOBILITY_PUBLIC"] == "1"
    assert "@closed path /_stcore/upload_file/* /_stcore/metrics*" in CADDY
    assert "respond @closed 403" in CADDY
    assert "rm -rf data/local" in DOCKER


def test_every_file_that_is_named_is_there():
    for mount in COMPOSE["services"]["proxy"]["volumes"]:
        source = mount.split(":")[0]
        assert source in COMPOSE["volumes"] or (DEPLOY / source).is_file()
    build = COMPOSE["services"]["explorer"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    for line in re.findall(r"^COPY (.+)$", DOCKER, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    for named in re.findall(r"`(deploy/[\w.]+)`", DOCUMENT):
        assert (ROOT / named).is_file()


def test_the_page_names_the_settings_as_the_code_does():
    for variable in ("MOBILITY_PUBLIC", "MOBILITY_WORKERS"):
        assert variable in DOCUMENT
        assert any(
            f'"{variable}"' in path.read_text(encoding="utf-8")
            for path in (ROOT / "pages" / "_ui").rglob("*.py")
        )


@pytest.mark.long
def test_the_steps_of_the_image_make_an_explorer_that_serves_the_public(tmp_path):
    """Its copies, its installation and its command, in a folder and an environment of their own.

    Other libraries are those of the tests: nothing is fetched. Users and ports are left out.
    """
    folder, variables, programs, command = tmp_path / "explorer", {}, None, []
    folder.mkdir()
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    for step in re.findall(r"^([A-Z]+) (.+)$", DOCKER, re.MULTILINE):
        match step:
            case ("COPY", words):
                *sources, target = words.split()
                for source in sources:
                    assert f"!{source}" in ignored, f"{source} is not sent to the builder"
                    copy(ROOT / source, folder / (source if target == "./" else target))
            case ("ENV", words):
                name, _, value = words.partition("=")
                variables[name] = value.replace("/explorer", str(folder))
            case ("RUN", words) if words.startswith("pip install"):
                install, *after = words.split(" && ")
                assert install.split()[-1] == '".[app]"'
                programs = environment(tmp_path / "env", built(folder, tmp_path))
                for one in after:
                    subprocess.run(one, shell=True, cwd=folder, check=True)
            case ("RUN", words) if not words.startswith("useradd"):
                subprocess.run(words, shell=True, cwd=folder, check=True)
            case ("CMD", words):
                command = json.loads(words)
    assert programs is not None
    assert not (folder / "engine").exists()
    port = command.index("--server.port")
    start = [str(programs / command[0]), *command[1:port], *command[port + 2 :]]
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    given = {**kept, **variables, **COMPOSE["services"]["explorer"]["environment"]}
    with (
        served(given | {"HOME": str(tmp_path)}, command=start, folder=folder) as address,
        Visitor(address) as visitor,
    ):
        drawn = str(visitor.run())
        assert "rwanda-districts" in drawn
        assert "exception {" not in drawn
        assert request(address, "PUT", "/_stcore/upload_file/a/b").status == 403


def copy(source, target):
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)
