"""Long work: in pieces beside a page (`pieces`), or outliving it (`kept`)."""
