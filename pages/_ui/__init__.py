"""What all pages share: frame, settings, cached wrappers, maps, charts and wording."""
