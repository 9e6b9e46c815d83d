"""The page Decisions: an epidemic response, aid after a shock, and ε from a decision."""
