"""Charts, maps, pictures, cards, gauges and tables: drawn from plain numbers."""
