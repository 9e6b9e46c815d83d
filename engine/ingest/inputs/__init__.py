"""Input tables of rows, places and zones, inspected before a row is counted."""
