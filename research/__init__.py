"""The papers' tables and our methods, measured: CSV files in ``research/results``."""
