"""What runs around every page: gate, session, catalogue, long work, errors, shutdown."""
