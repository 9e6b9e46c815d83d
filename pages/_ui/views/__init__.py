"""Views that every page draws from the contract: they take a context, never a method."""
