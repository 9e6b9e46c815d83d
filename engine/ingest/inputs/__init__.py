"""What comes in: tables of rows, places and zones, looked at before a row is counted."""
