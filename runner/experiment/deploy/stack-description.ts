/** CloudFormation's limit, in bytes. */
const most = 1024;

/** What the console shows of a stack: the question that it answers. */
export function stackDescription(question: string): string {
  return `pgduet: ${question}`;
}

/** What keeps the question from being part of the stack's description, in words. */
export function descriptionProblems(question: string): string[] {
  const room = most - Buffer.byteLength(stackDescription(''));
  const sizeBytes = Buffer.byteLength(question);
  if (sizeBytes <= room) return [];
  return [`question has ${sizeBytes} bytes; the description of a stack, which shows it, has room for ${room}`];
}
