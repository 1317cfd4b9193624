"""The types in the stacks of this project and of `cdk bootstrap`. Importing them registers them."""

from account.resources import compute, databases, expiry, identity, network, notices, proxies, storage

__all__ = ["compute", "databases", "expiry", "identity", "network", "notices", "proxies", "storage"]
