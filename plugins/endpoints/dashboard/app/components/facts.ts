import type { VNode } from 'preact'
import { none } from '../format.ts'
import { html, type Children } from '../html.ts'

export type Fact = readonly [name: string, value: Children]

/** Names and values. What there is no value for is left out, or shown as a dash with `all`. */
export function Facts({ facts, all = false }: { readonly facts: readonly Fact[]; readonly all?: boolean }): VNode {
  const shown = facts.filter(([, value]) => all || !isNothing(value))
  return html`<dl class="facts">
    ${shown.flatMap(([name, value]) => [html`<dt>${name}</dt>`, html`<dd>${isNothing(value) ? none : value}</dd>`])}
  </dl>`
}

function isNothing(value: Children): boolean {
  return value === null || value === undefined || value === '' || value === false
}
