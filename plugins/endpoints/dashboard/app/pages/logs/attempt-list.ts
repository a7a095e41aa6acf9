import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { endpointName } from '../../endpoint-name.ts'
import { duration, usd } from '../../format.ts'
import { html } from '../../html.ts'
import { outcomes } from './reasons.ts'
import type { Attempt } from './record.ts'

/** The attempts, one below the other. Their bars show when each began and how long it took, as a share of the whole. */
export function AttemptList({ attempts, elapsedMs }: { readonly attempts: readonly Attempt[]; readonly elapsedMs: number }): VNode {
  const starts = startsOf(attempts)
  const longest = Math.max(elapsedMs, ...attempts.map((attempt, index) => starts[index]! + attempt.elapsed_ms), 1)
  return html`<ol class="attempts">
    ${attempts.map((attempt, index) => {
      const { provider, model, outcome, status, elapsed_ms: took, cost_usd: cost } = attempt
      const tone = outcome === 'ok' ? 'good' : outcome === 'outrun' || outcome === 'left' ? 'neutral' : 'bad'
      return html`<li key=${index}>
        <div class="attempt-head">
          <strong class="anywhere">${endpointName(provider, model)}</strong>
          <${Badge} tone=${tone}>${outcomes[outcome] ?? outcome}${status !== null && status >= 400 ? ` (${status})` : ''}<//>
          ${cost !== undefined && cost !== null && html`<span class="muted">${outcome === 'outrun' ? 'may cost' : 'cost'} ${usd(cost)}</span>`}
          <span class="attempt-time">${duration(took)}</span>
        </div>
        <div class="attempt-line" aria-hidden="true">
          <span
            class=${`attempt-bar ${tone}`}
            style=${{ marginLeft: share(starts[index]!, longest), width: share(Math.max(took, longest / 200), longest) }}
          ></span>
        </div>
      </li>`
    })}
  </ol>`
}

/** Without a recorded start, one began when the one before had ended, except for those that raced. */
function startsOf(attempts: readonly Attempt[]): readonly number[] {
  let end = 0
  return attempts.map(({ outcome, started_ms: startedMs, elapsed_ms: took }) => {
    const start = startedMs ?? (outcome === 'outrun' ? Math.max(0, end - took) : end)
    end = Math.max(end, start + took)
    return start
  })
}

function share(part: number, whole: number): string {
  return `${(100 * part) / whole}%`
}
