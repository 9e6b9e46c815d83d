"""Our methods against the papers': the tables and text of ``docs/mechanisms.md``."""
