"""The files for running it for others agree with one another and with the house."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yml").read_text(encoding="utf-8"))
CADDY, COMMON = ((DEPLOY / n).read_text(encoding="utf-8") for n in ("Caddyfile", "common.caddy"))
DOCKER = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
DOCUMENT = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")


def test_the_files_name_each_other_and_serve_simulated_people_to_all():
    name, port = re.search(r"{\$EXPLORERS:dynamic a (\S+) (\d+)}", COMMON).groups()
    service = COMPOSE["services"][name]
    assert service["expose"] == [port]
    assert f'"--server.port", "{port}"' in DOCKER
    assert "import explorers" in CADDY
    assert COMPOSE["services"]["proxy"]["depends_on"] == [name]
    assert "ports" not in service, "only the proxy is reached from outside"
    assert COMPOSE["services"]["explorer"]["environment"]["MOBILITY_PUBLIC"] == "1"
    assert "rm -rf data/local" in DOCKER
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
