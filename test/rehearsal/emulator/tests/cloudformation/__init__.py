"""Of account.cloudformation."""
