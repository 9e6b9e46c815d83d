"""What is set: fields, link, current settings, seeds and their widgets."""
