import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Settings that name an endpoint outside of loopback, in the environment and in AWS's configuration files.
 *
 * @returns texts such as `AWS_ENDPOINT_URL_S3=https://s3.example.com`
 */
export function foreignEndpoints(environment: Readonly<Record<string, string | undefined>>): string[] {
  const home = environment['HOME'] ?? homedir();
  const files = [
    environment['AWS_CONFIG_FILE'] ?? path.join(home, '.aws/config'),
    environment['AWS_SHARED_CREDENTIALS_FILE'] ?? path.join(home, '.aws/credentials'),
  ];
  const inFiles = files.flatMap((file) =>
    existsSync(file)
      ? [...readFileSync(file, 'utf8').matchAll(/^\s*endpoint_url\s*=\s*(\S+)/gm)].map(([, url]) => [
          `endpoint_url in ${file}`,
          url,
        ])
      : [],
  );
  const inEnvironment = Object.entries(environment).filter(([name]) => /^AWS_(ENDPOINT_URL|.*_ENDPOINT)/.test(name));
  return [...inEnvironment, ...inFiles].flatMap(([name = '', url = '']) =>
    url === '' || isLoopback(url) ? [] : [`${name}=${url}`],
  );
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
