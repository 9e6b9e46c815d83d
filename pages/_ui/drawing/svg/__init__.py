"""Small fixed pictures as vector graphics: light enough for a first screen."""
