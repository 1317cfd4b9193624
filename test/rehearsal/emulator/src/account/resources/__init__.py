"""The types that the stacks of this project and of `cdk bootstrap` consist of; known once imported."""

from account.resources import compute, databases, expiry, identity, network, storage

__all__ = ["compute", "databases", "expiry", "identity", "network", "storage"]
