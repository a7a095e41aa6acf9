type Child = Node | string | undefined | false
type Attributes = Readonly<Record<string, string | boolean | undefined | (() => void)>>

/** An element. Text is always text, whatever a model or a caller wrote. Functions are listeners. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value)
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value)
  }
  made.append(...children.filter(child => child !== undefined && child !== false))
  return made
}
