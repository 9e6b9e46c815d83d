"""Views that every page draws from the contract: they take a `Setting`, never a method."""
