"""Sentences that pages, the command and the handout say alike."""
