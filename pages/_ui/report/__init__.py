"""The page "Report": what is in the data, under one budget that can be seen."""
