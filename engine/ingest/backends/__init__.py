"""The engines that count: DuckDB, embedded, and Spark."""
