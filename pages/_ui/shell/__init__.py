"""The shell of every page: frame, settings and where they live, catalogue of datasets."""
