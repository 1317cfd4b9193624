"""RDS instances and clusters, written anew on top of moto's subnet and parameter groups.

moto accepts what it does not know and forgets it (DedicatedLogVolume, insights, the standby's zone). It gives
every instance the same DbiResourceId, knows no Multi-AZ clusters, reboots nothing, and has no events. Here a
database is the structure that DescribeDBInstances or DescribeDBClusters shows.
"""
