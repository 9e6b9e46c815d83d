"""Our time beside the plain reference's, as ratios measured in one run."""
