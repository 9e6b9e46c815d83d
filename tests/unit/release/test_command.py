"""The command line of releases: what it takes, asks and refuses, each in one line."""

import io
import json
import re
import sqlite3
import sys
from contextlib import closing

import pytest

import engine.command
from engine import density, origin_destination as od
from engine.release import NOISE_CONSENT, WRITERS, flow_writer
from engine.release.command import main
from engine.release_arguments import _METHODS, build_parser

OD = ("od", "demo-city", "--tuned-on", "simulated", "--trips", "100000000")


@pytest.fixture
def option(tmp_path):
    option = ["--ledger", str(tmp_path / "l.sqlite")]
    declare = ["budget", "set", "p", "--datasets", "demo-city", "--epsilon", "1", "--by", "me"]
    assert main([*declare, *option]) == 0
    return option


def refused(capsys, *arguments):
    assert main(list(arguments)) == 2
    said = capsys.readouterr().err
    assert said.startswith("refused: ")
    assert said.count("\n") == 1
    assert "\x1b" not in said
    return said


def test_the_command_takes_every_method_that_can_be_released():
    """Its list is read before the rows of methods are loaded, which takes seconds."""
    for product, methods in {"od": od.METHODS, "density": density.METHODS}.items():
        assert sorted(_METHODS[product]) == sorted(methods.keys() & WRITERS)


def test_suppression_without_noise_and_decimal_commas_are_refused(capsys, tmp_path):
    with pytest.raises(SystemExit, match="2"):
        main([*OD, "--out", str(tmp_path / "out"), "--epsilon", "1", "--method", "practice"])
    said = capsys.readouterr().err
    assert "must add noise by laplace_suppression or empirical_bayes (given: practice). " in said
    assert "Suppression without noise protects nobody" in said
    assert not list(tmp_path.iterdir())
    assert "practice" not in WRITERS.keys() | od.METHODS.keys()
    with pytest.raises(SystemExit):
        main([*OD, "--out", "x", "--epsilon", "0,5"])
    assert "--epsilon: write a number such as 0.5 (given: '0,5')" in capsys.readouterr().err


def test_the_command_line_releases_and_refuses(tmp_path, capsys, option):
    out = str(tmp_path / "out")
    towers = ["density", "demo-city", "--tuned-on", "simulated", "--out", out, *option]
    towers += ["--method", "towers_laplace"]
    assert "a release must not exceed the budget of 'p'" in refused(
        capsys, *towers, "--epsilon", "2"
    )
    refused(capsys, *OD, "--out", out, *option, "--epsilon", "0.4")  # 7 days cost 2.8
    assert main([*towers, "--epsilon", "0.25"]) == 0
    refused(capsys, *towers, "--epsilon", "0.25")  # the folder exists
    assert main(["budget", "show", *option]) == 0
    said = capsys.readouterr().out
    assert "ε = 0.25 of 1 " in said
    head = said.split("entry 3: ")[1].strip()
    raising = ["budget", "raise", "p", "--epsilon", "3", "--by", "me", "--reason", "more"]
    assert main([*raising, *option]) == 0
    assert main(["verify", "--head", head, *option]) == 0
    assert "4 entries, unbroken" in capsys.readouterr().out
    refused(capsys, "verify", "--head", "0" * 64, *option)
    assert main(["verify", out, *option]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == ["Checked", "Proved", "Not proved"]
    assert "files match SHA256SUMS, whose hash the ledger holds; 4 entries, unbroken" in said[0]
    page = (tmp_path / "out" / "statement.html").read_text("utf-8")
    assert re.search("release verify [.] --head ([0-9a-f]{8})", page)[1] in said[0]
    (tmp_path / "out" / "density.csv").write_text("changed")
    assert "(given: density.csv changed)" in refused(capsys, "verify", out, *option)
    (tmp_path / "out" / "SHA256SUMS").write_text("")
    assert "whose hash was given" in refused(capsys, "verify", out, *option)
    wrong = ["budget", "set", "q", "--datasets", "demo-citi", "--epsilon", "1", "--by", "me"]
    assert main([*wrong, *option]) == 0  # it may be on another computer
    assert "warning: there is no dataset 'demo-citi'. Name one of " in capsys.readouterr().err
    assert "must be a ledger" in refused(capsys, "verify", "--ledger", str(tmp_path / "none"))
    refused(capsys, "od", "no\x1b[2Jwhere\n", *OD[2:], "--epsilon", "1", "--out", "x", *option)


def test_coarse_zones_and_times_are_asked_for_in_words(tmp_path, option, capsys):
    out = tmp_path / "out"
    asked = [*OD, "--out", str(out), *option, "--epsilon", "0.2", "--zones", "clusters-30"]
    asked += ["--span", "1", "--unit", "person", "--from", "2026-06-02"]
    assert main(asked) == 0
    said = json.loads((out / "statement.json").read_text(encoding="utf-8"))["setting"]
    names = "zones", "time", "first", "last", "span"
    assert [said[name] for name in names] == ["clusters-30", "whole", 1, 6, 1]
    assert "Two compared spans share no day" in refused(capsys, *asked, "--to", "2026-06-02")
    asked[asked.index("2026-06-02")] = "2026-07-04"
    assert "must be in the dataset" in refused(capsys, *asked)


@pytest.mark.parametrize(
    ("product", "earlier", "method"),
    [
        ("od", "published", "laplace_suppression"),
        ("od", "estimate", "empirical_bayes"),
        ("density", "zoom", "multiscale"),
    ],
)
def test_a_command_of_an_earlier_version_has_the_same_method(product, earlier, method):
    options = ("--epsilon", "1", "--tuned-on", "simulated", "--out", "out")
    for word in (earlier, method):
        read = build_parser().parse_args([product, "demo-city", *options, "--method", word])
        assert read.method == method
    with pytest.raises(SystemExit):
        build_parser().parse_args([product, "demo-city", *options, "--method", "gravity"])


def test_a_release_is_written_with_the_method_of_today(tmp_path, option):
    """In the statement and in the ledger, where the command says the earlier word."""
    asked = [*OD, *option, "--epsilon", "0.1", "--zones", "clusters-9", "--method", "estimate"]
    assert main([*asked, "--unit", "person", "--out", str(tmp_path / "out")]) == 0
    statement = json.loads((tmp_path / "out" / "statement.json").read_text(encoding="utf-8"))
    with closing(sqlite3.connect(option[1])) as ledger:
        query = "select body from entries where kind = 'release'"
        ((body,),) = ledger.execute(query).fetchall()
    for document in (statement, json.loads(body)):
        assert document["setting"]["parameters"]["method"] == "empirical_bayes"
        assert document["product"] == "od-estimate"


@pytest.mark.parametrize("method", ["laplace_suppression", "empirical_bayes"])
def test_a_terminal_sees_progress(tmp_path, option, capsys, monkeypatch, method):
    monkeypatch.setattr(flow_writer, "_CELLS_PER_DRAW", 4000)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    asked = [*OD, *option, "--epsilon", "0.5", "--unit", "person", "--time", "whole"]
    asked += ["--method", method]
    assert main([*asked, "--out", str(tmp_path / "out")]) == 0
    shares = [int(one) for one in re.findall(r"(\d+)%", capsys.readouterr().err)]
    assert len(shares) >= 7
    assert shares[-1] == 100


def test_what_is_mostly_noise_takes_consent_and_warns_in_full(tmp_path, option, capsys):
    asked = ["od", "demo-city", "--epsilon", "0.01", "--tuned-on", "public", *option]
    asked += ["--trips", "1000", "--out", str(tmp_path / "out")]
    assert 'write "I understand that most of it is noise"' in refused(capsys, *asked)
    assert main([*asked, "--consent", NOISE_CONSENT, "--sums-before-suppression"]) == 0
    said = capsys.readouterr().out
    assert "warning: Noise is shown as flows" in said
    assert "warning: Suppressed noisy counts can be" in said
    assert "out_trips" in (tmp_path / "out" / "zones.geojson").read_text("utf-8")


def test_a_twin_is_named_where_it_was_used_and_is_one(tmp_path, capsys, option):
    order = ["od", "demo-city", "--trips", "100000000", "--epsilon", "1"]
    order += ["--out", str(tmp_path / "b"), *option]
    missing, other = "a twin must be named", "a dataset that the command 'twin' made"
    for more, rule in (
        (["--tuned-on", "twin"], missing),
        (["--tuned-on", "public", "--twin", "demo-city"], missing),
        (["--tuned-on", "twin", "--twin", "paris"], other),
    ):
        assert rule in refused(capsys, *order, *more)


def test_a_terminal_that_knows_ascii_alone_gets_no_traceback(tmp_path, option, monkeypatch):
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(said, "ascii", write_through=True))
    asked = ["release", *OD, "--epsilon", "9", "--out", str(tmp_path / "o"), *option]
    assert engine.command.main(asked) == 2
    assert said.getvalue().startswith(b"refused: a release must not exceed the budget of 'p'")
    assert b"?" in said.getvalue()
