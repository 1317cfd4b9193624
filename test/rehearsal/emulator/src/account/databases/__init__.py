"""RDS instances and clusters, written for the rehearsal on top of moto's subnet and parameter groups.

moto accepts and forgets what it does not know (DedicatedLogVolume, insights, the standby's zone). All of its
instances have the same DbiResourceId, and it has no Multi-AZ clusters, no reboots and no events. Here a
database is the structure that DescribeDBInstances or DescribeDBClusters shows.
"""
