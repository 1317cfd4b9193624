"""Of account.gate."""
