import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** A certificate authority of one test, and a server's certificate that it signed. Paths of PEM files. */
export interface Certificates {
  authority: string;
  certificate: string;
  key: string;
}

/** @param name the DNS name that the server's certificate is for */
export function makeCertificates(folder: string, name: string): Certificates {
  const file = (base: string): string => path.join(folder, base);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'rsa:2048', '-nodes'];
  openssl('req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=test', '-keyout', 'ca.key', '-out', 'ca.pem');
  openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(file('names'), `subjectAltName=DNS:${name}\n`);
  openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-days', '2', '-extfile', 'names', '-out', 'server.pem'],
  );
  return { authority: file('ca.pem'), certificate: file('server.pem'), key: file('server.key') };
}
