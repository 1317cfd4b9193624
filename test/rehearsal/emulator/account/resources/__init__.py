"""The types that the stacks of this project and of `cdk bootstrap` are made of; known once imported."""
