"""The page Attack: what the best possible attack reaches, and what the guarantee allows."""
