"""The columns of every input file: found, checked, and alike in all files."""

from collections.abc import Mapping

from engine.errors import InputError
from engine.ingest.inputs import mapping
from engine.ingest.inputs.mapping import Mappings
from engine.ingest.inputs.samples import check_columns
from engine.ingest.inputs.sources import Source, shown
from engine.ingest.options import IngestOptions

_NUMERIC = ("int", "uint", "float", "double", "halffloat", "decimal")
_USABLE = ("string", "large_string", "int", "uint", "float", "double", "halffloat", "timestamp")
_USABLE_TOO = ("string_view", "date32", "dictionary", "decimal128", "time32", "time64")


def mappings(options: IngestOptions, files: list[Source]) -> Mappings:
    """Return the column mapping of every file, checked."""
    result: Mappings = {}
    for source in files:
        names = mapping.resolve(options.kind, options.mapping, source)
        if options.kind != "flows":
            names = mapping.one_place(options.kind, names, options.mapping, source)
        check(source, names)
        result[source] = names
    _check_alike(result)
    return result


def check(source: Source, names: Mapping[str, str]) -> None:
    """Refuse columns of one file that are missing, far too long, or of no usable type."""
    check_columns(source, names.values())
    for canonical, column in names.items():
        kind = source.kinds[source.columns.index(column)]
        if not kind.startswith(_USABLE + _USABLE_TOO):
            raise InputError(
                f"{source.name}: column '{shown(column)}' (for {canonical}) is of type "
                f"{kind[:40]}; text, numbers and times are read"
            )


def _check_alike(files: Mappings) -> None:
    first, *others = files.items()
    for source, names in others:
        if set(names) != set(first[1]):
            odd = sorted(set(names) ^ set(first[1]))
            raise InputError(
                f"{source.name}: {', '.join(odd)} is found in this file or in {first[0].name}, "
                "not in both; map the columns of all files alike"
            )


def bare(mappings: Mappings, canonical: tuple[str, ...]) -> bool:
    """Whether some file holds ids as numbers, which have no leading zeros, and another as text."""
    kinds = {
        source.kinds[source.columns.index(names[name])]
        for source, names in mappings.items()
        for name in canonical
        if name in names
    }
    numeric = {kind for kind in kinds if kind.startswith(_NUMERIC)}
    return bool(numeric) and bool(kinds - numeric)
