"""Of account.databases."""
