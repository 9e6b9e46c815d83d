"""How `make docs` turns the documents into a site that is read and searched without a network."""

project = "Mobility Privacy Explorer"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"),
    *("benchmarks/README.md", "data/README.md", "research/notes.md"),
]
suppress_warnings = ["toc.not_included"]  # what is not listed is still searched
exclude_patterns = [".*", "build", "engine", "pages", "tests", "typings"]  # not even walked
myst_heading_anchors = 4
html_theme = "furo"
html_title = project
html_show_sphinx = False
html_copy_source = False
templates_path = []
