import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandLine } from '../helpers/processes/command-line.ts';
import { tinyRun } from '../helpers/processes/tiny-run.ts';

/** Runs its arguments in a terminal that takes nothing any more, signals them when a file is there, and tells how they end. */
const freeze = `
import json, os, pty, signal, subprocess, sys, time
ours, theirs = pty.openpty()
full = os.open(os.ttyname(theirs), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
try:
    while True: os.write(full, b'x')
except BlockingIOError: pass
process = subprocess.Popen(sys.argv[3:], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
until = time.monotonic() + 60
while not os.path.exists(sys.argv[2]) and time.monotonic() < until: time.sleep(0.1)
process.send_signal(getattr(signal, sys.argv[1]))
since = time.monotonic()
try: code = process.wait(60)
except subprocess.TimeoutExpired: code = 'none'
print(json.dumps({'code': code, 'seconds': time.monotonic() - since}))
if code == 'none': process.kill()
`;

it.each(['SIGINT', 'SIGTERM'])('%s ends a command whose terminal takes no more', async (signal) => {
  const tiny = tinyRun();
  // It is at work for as long as this does not answer.
  const programs = path.join(tiny.folder, 'programs');
  mkdirSync(programs);
  const asked = path.join(tiny.folder, 'asked');
  writeFileSync(path.join(programs, 'pg_config'), `#!/bin/sh\ntouch ${asked}\nexec sleep 300\n`, { mode: 0o755 });
  const { ended } = commandLine(['doctor'], {
    cwd: tiny.folder,
    temporary: tiny.temporary,
    inside: ['python3', '-c', freeze, signal, asked],
    environment: { TERM: 'xterm', PATH: `${programs}:${process.env['PATH'] ?? ''}` },
  });
  const { stdout, stderr } = await ended;
  expect(stderr).toBe('');
  const end = JSON.parse(stdout) as { code: number | string; seconds: number };
  expect(end.code).toBe(130);
  expect(end.seconds).toBeLessThan(30);
});
