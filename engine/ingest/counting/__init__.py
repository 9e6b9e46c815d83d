"""Counting: the same expressions on every engine, from raw rows to the tables of a dataset."""
