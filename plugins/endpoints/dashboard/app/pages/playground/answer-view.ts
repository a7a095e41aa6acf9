import type { VNode } from 'preact'
import { Badge, Notice } from '../../components/feedback.ts'
import { count, duration } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import type { Answer, ShownItem } from './answer.ts'

export interface Timing {
  readonly firstMs: number | undefined
  readonly totalMs: number | undefined
}

/** An answer while it grows: its items in order, then what it took. */
export function AnswerView({ answer, timing }: { readonly answer: Answer; readonly timing: Timing }): VNode {
  const { items, status, error, usage } = answer
  const isOpen = status === 'in_progress' || status === 'queued'
  return html`<div class="answer" aria-busy=${isOpen}>
    ${items.map(item => html`<${Item} key=${item.id} item=${item} isOpen=${isOpen && item.status === 'in_progress'} />`)}
    ${error !== undefined && html`<${Notice} tone=${status === 'incomplete' ? 'warn' : 'bad'}>${error}<//>`}
    ${isOpen && items.length === 0 && html`<p class="muted" role="status">Waiting for the first event…</p>`}
    ${
      !isOpen &&
      html`<p class="answer-facts">
        <${Badge} tone=${status === 'completed' ? 'good' : status === 'incomplete' ? 'warn' : 'bad'}>${status}<//>
        ${answer.model && html`<span>${answer.model}</span>`}
        ${usage && html`<span>${count(usage['input_tokens'] as number)} tokens in, ${count(usage['output_tokens'] as number)} out</span>`}
        ${timing.firstMs !== undefined && html`<span>first event after ${duration(timing.firstMs)}</span>`}
        ${timing.totalMs !== undefined && html`<span>${duration(timing.totalMs)} in all</span>`}
        ${answer.id && html`<a href=${hrefOf('logs', { record: answer.id })}>See its record</a>`}
      </p>`
    }
  </div>`
}

const names: Readonly<Record<string, string>> = {
  function_call: 'Calls the function',
  custom_tool_call: 'Calls the tool',
  web_search_call: 'Searches the web',
  mcp_call: 'Calls the MCP tool',
}

function Item({ item, isOpen }: { readonly item: ShownItem; readonly isOpen: boolean }): VNode {
  if (item.type === 'message') return html`<div class=${isOpen ? 'said open' : 'said'}>${item.text}</div>`
  if (item.type === 'reasoning')
    return html`<details class="thought" open=${isOpen}>
      <summary>${isOpen ? 'Thinking…' : 'Reasoning'}</summary>
      <div>${item.reasoning || 'The model keeps its reasoning to itself.'}</div>
    </details>`
  const name = item.item['name']
  return html`<div class="call">
    <div class="row">
      <${Badge} tone="info">${names[item.type] ?? item.type}<//>
      ${typeof name === 'string' && html`<strong>${name}</strong>`} ${isOpen && html`<span class="muted">…</span>`}
    </div>
    ${detailsOf(item)}
  </div>`
}

function detailsOf({ type, arguments: given, item }: ShownItem): VNode | false {
  if (given !== '') return html`<pre class="plain" tabindex="0">${pretty(given)}</pre>`
  if (type === 'function_call' || type === 'custom_tool_call') return false
  const action = item['action'] as { readonly query?: string; readonly queries?: readonly string[]; readonly url?: string } | undefined
  const said = action?.query ?? action?.queries?.join(', ') ?? action?.url
  return said === undefined ? false : html`<p>${said}</p>`
}

/** Arguments that are not complete yet stay as they are. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
