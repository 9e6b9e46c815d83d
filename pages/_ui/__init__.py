"""What all pages share: frame, settings, cached wrappers, maps and charts."""
