"""Of account.control."""
