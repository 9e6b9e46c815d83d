"""The command: help of every option, what ``run`` hands on, JSON in place of sentences."""

import argparse
import json
import os
import sys

import pytest

from engine import command, datasets, frontier_command, release_arguments
from engine.ingest import command as ingest_command
from engine.release import command as release_command
from engine.synthetic import twin_command
from pages._ui.app.origin import is_public
from pages._ui.release.release_job import RELEASE_FLAG
from tests.support.ingests import ROWS, arguments, write_csv

MODULES = (release_arguments, ingest_command, frontier_command, twin_command)


def all_parsers():
    """Return every parser of the command, those of parts of parts as well."""
    parsers = [command.build_run_parser(), *(module.build_parser() for module in MODULES)]
    for parser in parsers:  # it grows meanwhile
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
    return {parser.prog: parser for parser in parsers}


PARSERS = all_parsers()


@pytest.mark.parametrize("prog", PARSERS)
def test_help_says_what_every_option_is_and_its_default(prog):
    parser = PARSERS[prog]
    assert "`" not in parser.format_help()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            assert len(action._choices_actions) == len(action.choices), prog
            continue
        assert action.help, f"{prog} {action.dest}"
        if action.default not in (None, False, "", [], argparse.SUPPRESS):
            assert "default: %(default)s" in action.help, f"{prog} {action.dest}"
        if action.dest == "method":
            assert all(f"{method} " in action.help for method in action.choices)


@pytest.mark.parametrize(
    ("words", "options", "flags"),
    [
        ([], [], []),
        (["--port", "9000"], ["--server.port", "9000"], []),
        (["--public", "--allow-release"], [], ["--public", RELEASE_FLAG]),
        (["--public", "--", "--server.address", "::"], ["--server.address", "::"], ["--public"]),
        (["--server.port", "9000", "--", "--public"], ["--server.port", "9000"], ["--public"]),
    ],
)
def test_run_takes_its_own_options_and_hands_on_streamlits(monkeypatch, words, options, flags):
    given = []
    monkeypatch.setattr(os, "execv", lambda _, words: given.extend(words))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    command.main(["run", *words])
    assert given[1:] == ["-m", "streamlit", "run", str(command.APP), *options, "--", *flags]
    monkeypatch.setattr(sys, "argv", given[given.index(str(command.APP)) :])
    assert is_public() is ("--public" in flags)


def test_help_of_run_is_short_and_its_own(capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["run", "--help"])
    text = capsys.readouterr().out
    assert (ended.value.code, len(text.splitlines()) < 20) == (0, True)
    assert all(word in text for word in ("--port", "--public", "--allow-release", "-- STREAMLIT"))


def test_ledger_and_ingest_are_told_as_json(tmp_path, capsys):
    ledger = ["--ledger", str(tmp_path / "l.sqlite")]
    declare = ["budget", "set", "p", "--datasets", "demo-city", "--epsilon", "1", "--by", "me"]
    assert release_command.main([*declare, *ledger]) == 0
    sentence = capsys.readouterr().out
    assert release_command.main(["budget", "show", "--json", *ledger]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["head"] in sentence
    assert shown["entries"] == 1
    (budget,) = shown["budgets"]
    assert (budget["people"], budget["epsilon"], budget["remaining_epsilon"]) == ("p", 1, 1)
    assert (budget["spent_epsilon"], budget["releases"], budget["managers"]) == (0, 0, ["me"])
    assert release_command.main(["verify", "--json", *ledger]) == 0
    assert json.loads(capsys.readouterr().out) == {"entries": 1, "unbroken": True}
    write_csv(tmp_path / "t.csv", ("uid", "datetime", "origin", "destination"), ROWS)
    assert ingest_command.main([*arguments(tmp_path, "--parts", "trips"), "--json"]) == 0
    account = json.loads(capsys.readouterr().out)
    assert (account["rows"]["read"], account["rows"]["used"]) == (1, 1)
    assert account["folder"].startswith(str(tmp_path))


def test_a_dataset_is_built_and_named_by_a_name_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path / "own"))
    write_csv(tmp_path / "t.csv", ("uid", "datetime", "origin", "destination"), ROWS)
    assert ingest_command.main([*arguments(tmp_path, "--parts", "trips"), "--out", "town"]) == 0
    assert datasets.load("town").folder.parent == tmp_path / "own" / "local" / "town"
    other = [*arguments(tmp_path, "--same-people-as", "tawn"), "--out", str(tmp_path / "other")]
    assert ingest_command.main(other) == 2
    assert "no dataset 'tawn'. Name one of town" in capsys.readouterr().err
    (tmp_path / "own" / "local" / "town").rename(tmp_path / "own" / "town")
    with pytest.raises(SystemExit):
        ingest_command.main([*arguments(tmp_path), "--out", "town"])
