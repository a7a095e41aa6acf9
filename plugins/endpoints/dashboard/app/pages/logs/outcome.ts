import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { usd } from '../../format.ts'
import { html } from '../../html.ts'
import { outcomes } from './reasons.ts'
import type { Attempt } from './record.ts'

/** How an attempt ended, what the vendor called it, and what it cost. */
export function Outcome({ attempt, isBeside }: { readonly attempt: Attempt; readonly isBeside: boolean }): VNode {
  const { outcome, status, cost_usd: cost, vendor_code: code } = attempt
  const said = [status !== null && status >= 400 ? String(status) : undefined, code].filter(each => each !== undefined)
  return html`<${Badge} tone=${toneOf(outcome)}>${outcomes[outcome] ?? outcome}<//>
    ${said.length > 0 && html`<code class="anywhere muted">${said.join(' ')}</code>`}
    ${isBeside && html`<${Badge} tone="info">side by side<//>`}
    ${cost !== undefined && cost !== null && html`<span class="muted">${outcome === 'outrun' ? 'may cost' : 'cost'} ${usd(cost)}</span>`}`
}

function toneOf(outcome: string): 'good' | 'neutral' | 'bad' {
  return outcome === 'ok' ? 'good' : outcome === 'outrun' || outcome === 'left' ? 'neutral' : 'bad'
}
