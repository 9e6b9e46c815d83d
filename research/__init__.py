"""The papers' tables, our methods and the attack, measured: CSV files in ``research/results``."""
