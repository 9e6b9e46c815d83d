"""Class: a room in which many people vote on a setting, and see what their choice would mean."""
