"""Privacy and utility of human-mobility data; what computes is the package ``engine`` in here."""

from importlib.metadata import version

__version__ = version("mobility-privacy-explorer")
