"""Of account.resources."""
