"""The page Choose."""
