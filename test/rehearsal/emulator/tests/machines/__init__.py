"""Of account.machines."""
