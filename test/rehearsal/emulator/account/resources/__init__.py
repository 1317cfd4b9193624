"""The resource types that the stacks of this project and of `cdk bootstrap` are made of. Importing a module makes them known."""
