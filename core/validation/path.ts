const maxNameLength = 64

/** `input[0].content` for `['input', 0, 'content']`. Long names are shortened, because callers choose some of them. */
export function pathText(steps: readonly (string | number)[]): string {
  let path = ''
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`
    else path += `${path && '.'}${step.length <= maxNameLength ? step : `${step.slice(0, maxNameLength)}…`}`
  }
  return path
}
