"""CloudFormation, written anew.

moto has one, but it makes a stack within the call that asks for it, in whatever order references happen to
be met, tells events of the stack only and none of its resources, cannot roll back, forgets a stack whose
deletion fails, ignores wait conditions, and lacks half of the resource types needed. Here stacks work in the
background as the real service's do: resource by resource in the order of dependencies, an event for each
step, deletion in the reverse order of creation.
"""
