/** As much of the text as fits: CloudFormation counts bytes. */
export function firstBytes(text: string, most: number): string {
  let end = Math.min(text.length, most);
  while (Buffer.byteLength(text.slice(0, end)) > most) end -= 1;
  return text.slice(0, end);
}
