from benchmarks.methods.size import code_lines

SOURCE = '''"""What it is."""

# why
x = 1  # here
y = (
    "a text that is code",
)


def f():
    """Return nothing.

    Really.
    """
    "no docstring, no code"
    return x
'''


def test_lines_of_code_leave_out_docstrings_comments_and_blank_lines():
    assert code_lines(SOURCE) == len(["x = 1", "y = (", '"a …",', ")", "def f():", "return x"])
