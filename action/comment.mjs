// node comment.mjs NAME FILE: puts the text of a file into the pull request, into the one comment that this gate has there.
/* global AbortSignal, fetch */
import { readFileSync } from 'node:fs';

const [name = '', file = ''] = process.argv.slice(2);
const { GITHUB_API_URL, GITHUB_REPOSITORY, GATE_PULL_REQUEST, GATE_TOKEN } = process.env;
const repository = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}`;
const marker = `<!-- pgduet gate ${name} -->`;
const body = `${marker}\n${readFileSync(file, 'utf8')}`;

const own = await commentOfGate();
await (own
  ? ask(`${repository}/issues/comments/${own.id}`, { method: 'PATCH' })
  : ask(`${repository}/issues/${GATE_PULL_REQUEST}/comments`, { method: 'POST' }));

async function commentOfGate() {
  for (let page = 1; ; page++) {
    const comments = await ask(`${repository}/issues/${GATE_PULL_REQUEST}/comments?per_page=100&page=${page}`);
    const found = comments.find((comment) => comment.body?.startsWith(marker));
    if (found || comments.length < 100) return found;
  }
}

async function ask(address, { method = 'GET' } = {}) {
  const response = await fetch(address, {
    method,
    headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${GATE_TOKEN}` },
    ...(method !== 'GET' && { body: JSON.stringify({ body }) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status}`);
  return response.json();
}
