"""Of account.permissions."""
