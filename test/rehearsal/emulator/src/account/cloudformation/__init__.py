"""CloudFormation, written anew.

moto has a CloudFormation, but it makes a stack within the call that asks for it, in the order in which it
meets references. It has events of the stack only, and none of its resources. It cannot roll back, forgets a
stack whose deletion fails, ignores wait conditions, and lacks half of the resource types that are needed.
Here stacks work in the background as those of the real service do: resource by resource in the order of
dependencies, with an event for each step, and deletion in the reverse order of creation.
"""
