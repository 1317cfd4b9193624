"""The types in the stacks of this project and of `cdk bootstrap`. To import them is to register them."""

from account.resources import compute, databases, expiry, identity, network, notices, storage

__all__ = ["compute", "databases", "expiry", "identity", "network", "notices", "storage"]
