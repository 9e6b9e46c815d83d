"""Tables of the documents, measured anew: CSV files in ``research/results``."""
