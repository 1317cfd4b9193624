import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { foreignEndpoints } from './foreign-endpoints.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

it.each([
  { AWS_ENDPOINT_URL: 'https://s3.example.com' },
  { AWS_ENDPOINT_URL_RDS: 'http://10.0.0.1:5000' },
  { AWS_ENDPOINT_URL: 'http://localhost.example.com' },
  { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://169.254.169.254' },
  { AWS_ENDPOINT_URL: 'nonsense' },
])('the rehearsal does not start with %o', (environment) => {
  expect(foreignEndpoints({ HOME: home, ...environment })).toEqual([
    Object.entries(environment).map((pair) => pair.join('='))[0],
  ]);
});

it.each([
  {},
  { AWS_ENDPOINT_URL: '' },
  { AWS_ENDPOINT_URL: 'http://127.0.0.5:1' },
  { AWS_ENDPOINT_URL: 'http://[::1]' },
])('the rehearsal starts with %o', (environment) => {
  expect(foreignEndpoints({ HOME: home, ...environment })).toEqual([]);
});

it('the rehearsal does not start with such an endpoint in a configuration file', () => {
  mkdirSync(path.join(home, '.aws'));
  const file = path.join(home, '.aws/config');
  writeFileSync(
    file,
    '[default]\nendpoint_url = http://localhost:4566\n[profile x]\nendpoint_url=https://rds.example.com\n',
  );
  expect(foreignEndpoints({ HOME: home })).toEqual([`endpoint_url in ${file}=https://rds.example.com`]);
});
