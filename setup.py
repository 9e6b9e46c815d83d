"""What is installed: the checkout's own folders under one name, `mobility_privacy_explorer`."""

import re
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

NAME = "mobility_privacy_explorer"
FOLDERS = find_namespace_packages(include=["engine*", "pages*"], exclude=["*.__pycache__"])
README = Path("README.md").read_text(encoding="utf-8")


class Modules(build_py):
    """All modules of the folders; those of ``package`` and the application stand above them."""

    def find_package_modules(self, package, package_dir):
        """Return (package, module, file) of each module."""
        if package != NAME:
            return super().find_package_modules(package, package_dir)
        files = [Path("app.py"), *Path("package").glob("*.py")]
        return [(package, file.stem, str(file)) for file in files]


def drop_paths(text):
    """Return text without its pictures, and without links to files that are not installed."""
    text = re.sub(r"!\[[^]]*\]\([^)]*\)\n+", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


setup(
    cmdclass={"build_py": Modules},
    long_description=drop_paths(README),
    long_description_content_type="text/markdown",
    package_dir={NAME: "."},
    packages=[NAME, *(f"{NAME}.{folder}" for folder in FOLDERS)],
    package_data={
        NAME: [".streamlit/config.toml", "data/README.md", "data/demo-city/**", "data/outlines/**"],
        "": ["*.css", "*.ipynb", "*.j2", "*.js", "*.json", "*.svg", "py.typed"],
    },
    include_package_data=False,
)
