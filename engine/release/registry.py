"""An entry for a public registry of deployments of differential privacy."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

UNKNOWN = "to be filled in by the custodian"
"""Stands where the registry asks what this software does not know."""

_HEAD = (
    "# A draft in the fields of the deployments registry. What it asks and this software does not\n"
    f"# know reads '{UNKNOWN}'; the tier is that of the fields that are known.\n"
)


def registry_entry(content: Mapping[str, Any]) -> str:
    """Return ``registry.yaml`` of a statement, by the schema of the deployments registry.

    Nothing is invented: curator, use, region and author are the custodian's to fill in, so that
    the entry is of the lowest tier until they are.
    """
    items, loss = content["items"], {"epsilon": content["epsilon"], "delta": content["delta"]}
    rhos = [stage["rho"] for stage in content["stages"] if "rho" in stage]
    if rhos:
        loss["rho"] = sum(rhos)
    deployment = {
        "basic": {
            "name": f"{content['title']} of {content['dataset']}",
            "data_curators": [UNKNOWN],
            "description": f"{content['title']}. {items['cells']}"
            + (" The people are simulated." if content["simulated"] else ""),
            "intended_use": UNKNOWN,
            "data_product_type": "Summary statistics",
            "data_product_region": UNKNOWN,
            "publication_date": content["made"],
        },
        "dp_variant": {
            "variant_name": "Pure DP" if content["delta"] == 0 else "Approximate DP",
            "data_domain": f"Tables of trips or visits of people. {items['neighbours']}",
            "unprotected_quantities": f"No count is released without noise. {items['bounds']}",
        },
        "privacy_loss": {
            "privacy_unit": items["unit"],
            "privacy_unit_details": f"{items['neighbours']} {items['contribution']}",
            "privacy_parameters": loss,
            "privacy_parameters_details": items["parameters"],
        },
        "deployment_model": {
            "model_name": "Central",
            "model_name_details": items["trust"],
            "release_type": "One release",
            "release_type_details": f"{items['total']} Other releases from these people: "
            f"{items['other_releases']}",
            "data_source_type": "Static",
            "access_type": "Non-interactive",
            "access_type_details": items["interactive"],
        },
        "accounting": {
            "composition": f"Within this release: {content['composition']}. {items['total']}",
            "post_processing": items["bias"],
        },
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": f"{items['contribution']} {items['bounds']}",
            "mechanisms": f"{content['mechanism']}. {items['library']} {items['floating_point']} "
            f"{items['access']}",
        },
        "administrative": {"registry_authors": [UNKNOWN]},
    }
    entry = {
        "url_slug": slug(f"{content['dataset']} {content['product']} {content['made']}"),
        "status": "Draft",
        "tier": 1,
        "deployment": deployment,
    }
    return _HEAD + yaml.safe_dump(entry, sort_keys=False, allow_unicode=True).rstrip()


def slug(text: str) -> str:
    """Return small letters and digits with dashes between, for an address.

    Examples
    --------
    >>> slug("local/My city od 2026-01-01")
    'local-my-city-od-2026-01-01'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
