"""Maps, charts, cards and tables; they know no page and no dataset."""
