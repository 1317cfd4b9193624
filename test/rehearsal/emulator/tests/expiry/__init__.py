"""Of account.expiry."""
