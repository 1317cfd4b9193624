/** What to do about a check that failed, by its name: one sentence each. */
const remedies: Record<string, string> = {
  'other programs': 'End them, or take a machine of its own, and measure again.',
  'driver’s processors': 'Take a larger driver or fewer clients, and measure again.',
  'client time': 'Give the load generator more threads or a larger machine, and measure again.',
  'backup, maintenance, storage': 'Choose hours without backups and maintenance, and measure again.',
  'restart or failover': 'Look into the server’s log for the reason, and measure again.',
  runner: 'Let pgduet run without being stopped, on a machine with a processor to spare for it, and measure again.',
  'silent seconds': 'Look into the logs of server and storage for what stood still, and measure again.',
  'length of the trial':
    'Look into the logs of server and storage for what stood still, or where connecting took the time, take fewer clients or longer trials, and measure again.',
  'transaction log': 'Make room on the disk of the results, and measure again.',
  'size of the database': 'Load the data anew, and measure again.',
  'size and history of tables': 'Begin every trial with the same data (protocol.reset), and measure again.',
  'log volume': 'Deploy the variants anew, and measure again.',
  'checkpoint cycles': 'Do one of the two (docs/experiments.md), and measure again.',
  clock: 'Stop what sets this machine’s clock in steps, and measure again.',
  commits: 'Keep others off the database, and measure again.',
  control: 'Find out what sets the control apart from the baseline: the same acts on every variant.',
  work: 'Offer no more than both sides can do, and measure again.',
};

/** The remedy for a failed check; without one of its own, that for a difference between the two sides. */
export function remedyOf(failure: string): string {
  const name = Object.keys(remedies).find((one) => failure.startsWith(one));
  return (name && remedies[name]) ?? 'Make both sides alike in this, or declare the difference, and measure again.';
}
