import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { count, percent } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'

import { barsOf, verdictOf, type DecisionReply } from './decision-reply.ts'

/** The probabilities of each answer as bars. */
export function DecisionView({ reply }: { readonly reply: DecisionReply }): VNode {
  return html`<div class="stack">
    ${Object.entries(reply.answers).map(
      ([id, answer]) =>
        html`<section key=${id} class="decision" aria-label=${id}>
          <div class="row">
            <h3>${id}</h3>
            <strong>${verdictOf(answer)}</strong>
            ${answer.confidence !== undefined && html`<span class="muted">confidence ${percent(answer.confidence)}</span>`}
            ${answer.uncalibrated && html`<${Badge} tone="warn">not calibrated<//>`}
          </div>
          <ul class="bars">
            ${barsOf(answer).map(
              ({ name, probability, isChosen }) =>
                html`<li key=${name}>
                  <span class="bar-name">${name}</span>
                  <span class="bar-track" aria-hidden="true"
                    ><span class=${isChosen ? 'bar-fill chosen' : 'bar-fill'} style=${{ width: `${probability * 100}%` }}></span
                  ></span>
                  <span class="bar-value">${percent(probability)}</span>
                </li>`,
            )}
          </ul>
        </section>`,
    )}
    <p class="answer-facts">
      <span>${reply.model}</span>
      <span>${count(reply.usage.input_tokens)} tokens in</span>
      <a href=${hrefOf('logs', { record: reply.id })}>See its record</a>
    </p>
  </div>`
}
