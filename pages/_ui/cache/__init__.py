"""The only Streamlit caches: wrappers over the engine, keyed by dataset, settings and seed."""
