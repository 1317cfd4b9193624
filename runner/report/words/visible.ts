/**
 * Characters that do something instead of being seen: control characters except tab and line end, and those that change the
 * direction of writing.
 */
// eslint-disable-next-line no-control-regex -- finding them is what this is for
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** What picocolors writes: it changes the look of a text, and nothing else. */
// eslint-disable-next-line no-control-regex -- a colour begins with a control character
const colour = /(\u001b\[[\d;]*m)/;

/**
 * Makes a text harmless where it is shown. Names, errors and outputs come from files of other people, and could
 * otherwise move the cursor, set the title of a terminal, or show a text in another order. Each acting character
 * becomes its JSON escape, such as \\u001b, so a JSON text keeps its meaning.
 */
export function visible(text: string): string {
  return text.replace(acting, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same, but colours stay. */
export function visibleInColour(text: string): string {
  return text
    .split(colour)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join('');
}
