"""The figures of both papers beside ours: what they print, what is measured here, the report."""
