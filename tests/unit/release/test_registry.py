"""``registry.yaml`` is an entry that the deployments registry takes, and invents nothing."""

from pathlib import Path

import jsonschema
import pytest
import yaml

from engine.release import Product
from engine.release.registry import UNKNOWN, registry_entry
from engine.report import ReportParameters
from tests.support.releases import flows, statement_of, visits, zoom

SCHEMA = Path(__file__).parents[4] / "shared" / "data" / "registry" / "deployments-schema.yaml"

TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT, "minItems": 1}


def closed(required, **properties):
    """An object of these properties and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": properties,
    }


LOOK_ALIKE = closed(
    ("url_slug", "status", "tier", "deployment"),
    url_slug={"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
    status={"const": "Draft"},
    tier={"enum": [1, 2, 3]},
    deployment=closed(
        ("basic",),
        basic=closed(
            (
                *("name", "data_curators", "description", "intended_use"),
                *("data_product_type", "data_product_region", "publication_date"),
            ),
            data_curators=TEXTS,
            data_product_type={"enum": ["Summary statistics", "Dataset"]},
            publication_date={"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
            **dict.fromkeys(("name", "description", "intended_use", "data_product_region"), TEXT),
        ),
        dp_variant=closed(
            (),
            variant_name={"enum": ["Pure DP", "Approximate DP", "Zero-concentrated DP"]},
            data_domain=TEXT,
            unprotected_quantities=TEXT,
        ),
        privacy_loss=closed(
            (),
            privacy_unit=TEXT,
            privacy_unit_details=TEXT,
            privacy_parameters=closed(
                (), **{name: {"type": "number"} for name in ("epsilon", "delta", "rho")}
            ),
            privacy_parameters_details=TEXT,
        ),
        deployment_model=closed(
            (),
            model_name={"const": "Central"},
            release_type={"const": "One release"},
            data_source_type={"const": "Static"},
            access_type={"const": "Non-interactive"},
            **dict.fromkeys(
                ("model_name_details", "release_type_details", "access_type_details"), TEXT
            ),
        ),
        accounting=closed((), composition=TEXT, post_processing=TEXT),
        implementation=closed((), preprocessing_and_hyperparameter_tuning=TEXT, mechanisms=TEXT),
        administrative=closed(("registry_authors",), registry_authors=TEXTS),
    ),
)
"""The fields, required keys and choices of the registry that an entry of ours meets."""


def entries(dataset):
    products = {
        "od": flows(),
        "trips": flows(unit="trip"),
        "density": visits(epsilon=1.0),
        "zoom": zoom(epsilon=1.0),
        "report": Product(ReportParameters(epsilon=1.0)),
    }
    for name, product in products.items():
        content = statement_of(dataset, product.plan(dataset))
        yield name, content, yaml.safe_load(registry_entry(content))


def test_an_entry_has_the_registrys_fields_and_no_others(demo):
    for _, content, entry in entries(demo):
        jsonschema.validate(entry, LOOK_ALIKE)
        loss = entry["deployment"]["privacy_loss"]["privacy_parameters"]
        assert loss["epsilon"] == content["epsilon"]
        assert loss["delta"] == content["delta"]


@pytest.mark.skipif(
    not SCHEMA.exists(), reason="the registry's schema is not at ../shared/data/registry"
)
def test_an_entry_is_valid_by_the_registrys_own_schema(demo):
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    for _, _, entry in entries(demo):
        jsonschema.validate(entry, schema)


def test_what_is_not_known_is_left_to_the_custodian(demo):
    for name, _, entry in entries(demo):
        basic = entry["deployment"]["basic"]
        assert basic["data_curators"] == [UNKNOWN]
        assert basic["intended_use"] == basic["data_product_region"] == UNKNOWN
        assert entry["deployment"]["administrative"]["registry_authors"] == [UNKNOWN]
        assert entry["tier"] == 1
        variant = entry["deployment"]["dp_variant"]["variant_name"]
        assert variant == ("Approximate DP" if name == "zoom" else "Pure DP")
        within = entry["deployment"]["accounting"]["composition"]
        assert ("zCDP" in within) == (name == "zoom")
