"""An entry for a public registry of deployments of differential privacy."""

from collections.abc import Mapping
from typing import Any

import yaml


def registry_entry(content: Mapping[str, Any]) -> str:
    """Return ``registry.yaml`` of a statement, in the fields of the deployments registry."""
    entry = {
        "name": f"{content['title']} of {content['dataset']}",
        "data_curator": "to be filled in by the custodian",
        "description": content["items"]["cells"],
        "date": content["made"],
        "simulated": content["simulated"],
        "flavor": {
            "name": "pure DP" if content["delta"] == 0 else "approximate DP",
            "input_domain": "trips and visits of people",
            "data_protected": content["items"]["unit"],
            "bound_on_metric": "add or remove one unit",
        },
        "privacy_loss": {
            "privacy_unit": content["unit"],
            "privacy_unit_description": content["items"]["contribution"],
            "privacy_parameters": {"epsilon": content["epsilon"], "delta": content["delta"]},
        },
        "model": {"model_name": "central", "is_static": True},
        "accounting": {
            "composition": "basic",
            "total_epsilon": content["budget"]["spent_epsilon"],
            "unit": content["budget"]["unit"],
            "post_processing": content["items"]["bias"],
        },
        "implementation": {
            "mechanisms": [content["mechanism"]],
            "library": f"{content['noise_library']['name']} {content['noise_library']['version']}",
            "software": f"{content['software']['name']} {content['software']['version']}",
            "pre_processing": content["items"]["contribution"],
        },
    }
    return yaml.safe_dump(entry, sort_keys=False, allow_unicode=True).rstrip()
