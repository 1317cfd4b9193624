/** An element with these properties and children. */
export function made<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A button that acts by mouse and keyboard. */
export function button(act: () => void, ...children: readonly (Node | string)[]): HTMLButtonElement {
  const element = made('button', { type: 'button' }, ...children);
  element.addEventListener('click', act);
  return element;
}
