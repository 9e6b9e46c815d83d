"""Simulated people in a custodian's own zones, from public facts alone."""
