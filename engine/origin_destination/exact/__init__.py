"""Exact laws of what a release does, from histograms of counts to expectations; no draws."""
