/**
 * How long a deploy and its run wait for AWS, in seconds. They are in one place, because the time that CloudFormation
 * allows the driver must cover everything that the driver itself may wait for.
 */

/** From the launch of the driver until it has its packages, binding and assets. Usually it takes two or three minutes. */
export const bootSeconds = 20 * 60;

/** What the driver then does before the databases are made: it gets the tool's program, and checks everything else. */
export const provisionSeconds = 20 * 60;

/**
 * The creation of all databases, side by side. RDS takes ten to twenty minutes, longer for Multi-AZ and for snapshots. It
 * bills none that is still `creating`, but those that are ready wait for the last one.
 */
export const creationSeconds = 60 * 60;

/** The first backup of a big instance, which begins right after its creation. */
const firstBackupSeconds = 60 * 60;
/** A reboot for parameters that need one. */
const rebootSeconds = 15 * 60;
/** A failover to the driver's zone. RDS shows the new zone only some minutes later. */
export const failoverSeconds = 15 * 60;

/** The longest wait until one database is at rest and as it was asked for. */
export const examinationSeconds = firstBackupSeconds + rebootSeconds + failoverSeconds;

/** Until a database that RDS calls available accepts connections, at the address that it has after a failover. */
export const connectionSeconds = 5 * 60;

/** What else a pre-flight checks: connections, password, results. */
const otherChecksSeconds = 10 * 60;

/** The whole pre-flight. The databases are examined side by side. */
export const preflightSeconds = examinationSeconds + connectionSeconds + otherChecksSeconds;

/** The longest pause between two looks of the driver for the databases, and the start of its next program. */
const noticeSeconds = 5 * 60;

/** How long CloudFormation waits, beside the databases, for the driver's signal that all are made. */
export const creationTimeoutSeconds = noticeSeconds + creationSeconds;

/**
 * How long CloudFormation waits, from when it has made the databases, for the driver's last signal, that the run has
 * begun. Every problem is signalled at once. CloudFormation accepts at most 43,200.
 */
export const signalTimeoutSeconds = noticeSeconds + preflightSeconds;

/** For changes to a volume, which RDS may optimise for many hours: only the limits of the run end the wait. */
export const untilStopped = Number.POSITIVE_INFINITY;

/** Days as RDS writes them, in the order of `Date.getUTCDay`. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
