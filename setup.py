"""What is installed: the checkout's own folders under one name, `mobility_privacy_explorer`."""

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

NAME = "mobility_privacy_explorer"
FOLDERS = find_namespace_packages(include=["engine*", "pages*"], exclude=["*.__pycache__"])


class Modules(build_py):
    """All modules of the folders but this one."""

    def find_package_modules(self, package, package_dir):
        """Return (package, module, file) of each module."""
        modules = super().find_package_modules(package, package_dir)
        return [one for one in modules if one[1] != "setup"]


setup(
    cmdclass={"build_py": Modules},
    package_dir={NAME: "."},
    packages=[NAME, *(f"{NAME}.{folder}" for folder in FOLDERS)],
    package_data={
        NAME: [".streamlit/config.toml", "data/README.md", "data/demo-city/**", "data/outlines/**"],
        "": ["*.css", "*.ipynb", "*.j2", "*.js", "*.json", "*.svg", "py.typed"],
    },
    include_package_data=False,
)
