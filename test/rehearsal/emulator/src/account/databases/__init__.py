"""RDS instances and clusters, written anew on top of moto's subnet and parameter groups.

moto takes what it does not know and forgets it (DedicatedLogVolume, insights, the standby's zone), gives
every instance the same DbiResourceId, knows no Multi-AZ cluster, reboots nothing, and tells no events. Here a
database is the very structure that DescribeDBInstances or DescribeDBClusters shows.
"""
