import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { Time } from '../../components/time.ts'
import { html } from '../../html.ts'
import { kindName, severityTone, stateNames, subjectHref, type Alert } from './alert.ts'

const severityNames = { info: 'Info', warning: 'Warning', critical: 'Critical' } as const

/** The words of an alert, its subject, and its numbers. */
export function alertCell(alert: Alert): VNode {
  const { title, message, facts, severity, resolves, silenced_by: silence } = alert
  const known = Object.entries(facts)
  return html`<div class="alert-cell">
    <div class="row">
      <${Badge} tone=${severityTone(alert)}>${resolves === null ? severityNames[severity] : 'All clear'}<//>
      <strong class="anywhere">${title}</strong>
      ${silence !== null && html`<${Badge}>silenced<//>`}
    </div>
    <p class="anywhere">${message}</p>
    ${aboutOf(alert)}
    ${
      known.length > 0 &&
      html`<details>
        <summary>Facts</summary>
        <dl class="facts">
          ${known.map(
            ([name, value]) =>
              html`<dt key=${name}>${name}</dt>
                <dd><code class="value">${typeof value === 'string' ? value : JSON.stringify(value)}</code></dd>`,
          )}
        </dl>
      </details>`
    }
  </div>`
}

/** The kind, what it is about, and whose it is. */
function aboutOf(alert: Alert): VNode {
  const href = subjectHref(alert)
  const text = html`<span class="anywhere">${alert.subject}</span>`
  return html`<span class="row muted">
    <span>${kindName(alert.kind)}</span>
    ${href === undefined ? text : html`<a href=${href}>${text}</a>`}
    ${alert.org !== null && html`<span class="anywhere">organization ${alert.org}</span>`}
  </span>`
}

/** The state, since when, and by whom. */
export function stateCell({ state, acknowledged_at: acknowledged, acknowledged_by: by, resolved_at: resolved, resolves }: Alert): VNode {
  if (resolves !== null) return html`<span class="muted">–</span>`
  const at = state === 'resolved' ? resolved : state === 'acknowledged' ? acknowledged : null
  const tone = state === 'open' ? 'warn' : state === 'acknowledged' ? 'info' : 'good'
  return html`<span class="two-lines">
    <span><${Badge} tone=${tone}>${stateNames[state]}<//></span>
    ${at !== null && html`<small><${Time} at=${at} relative />${state === 'acknowledged' && by !== null && html` by <span class="mono anywhere">${by}</span>`}</small>`}
  </span>`
}
