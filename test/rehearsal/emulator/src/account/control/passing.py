"""Lets hours pass that no rehearsal can wait for."""

from datetime import timedelta

from moto.s3.models import s3_backends

from account.cloudformation.stacks import Stacks
from account.cloudformation.waiting import WaitingTime
from account.databases.records import Databases
from account.names import ACCOUNT, PARTITION


def pass_time(minutes: float) -> None:
    """Everything in the account becomes older: stacks, databases, objects in S3, and waits of conditions.

    The clock stays, since machines and clients share it. So this does not change the times of events, by
    which their readers recognise new ones, nor what a driver has noted.
    """
    span = timedelta(minutes=minutes)
    for stack in Stacks.every():
        stack.created_at -= span
        if stack.updated_at is not None:
            stack.updated_at -= span
    for instance in list(Databases.instances.values()):
        instance["InstanceCreateTime"] -= span
    for cluster in list(Databases.clusters.values()):
        cluster["ClusterCreateTime"] -= span
    for bucket in list(s3_backends[ACCOUNT][PARTITION].buckets.values()):
        for _, versions in bucket.keys.lists():
            for version in versions:
                version.last_modified -= span
    WaitingTime.pass_by(span.total_seconds())
