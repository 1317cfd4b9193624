"""CloudFormation, written for the rehearsal.

moto has a CloudFormation, but it makes a stack within the call that orders it, in the order in which it
finds references. It has events for the stack only, and none for its resources. It cannot roll back, forgets
a stack if its deletion fails, ignores wait conditions, and does not have half of the necessary types.
Here, as in the real service, stacks work in the background. They make one resource after the other in the
order of dependencies, add an event for each step, and delete in the reverse order.
"""
