import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { count, percent } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'

/** The reply of `POST /v1/systemone`. */
export interface DecisionReply {
  readonly id: string
  readonly model: string
  readonly answers: Readonly<Record<string, DecisionAnswer>>
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

export interface DecisionAnswer {
  readonly type: 'noul' | 'choice' | 'score'
  readonly noul?: number
  readonly choice?: string
  readonly score?: number
  readonly confidence?: number
  readonly probabilities?: Readonly<Record<string, number>>
  readonly legend?: Readonly<Record<string, unknown>>
  readonly uncalibrated?: boolean
}

interface Bar {
  readonly name: string
  readonly probability: number
  readonly isChosen: boolean
}

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

function verdictOf({ type, noul, choice, score }: DecisionAnswer): string {
  if (type === 'noul') return (noul ?? 0) >= 0.5 ? 'yes' : 'no'
  return type === 'choice' ? (choice ?? '') : (score?.toFixed(2) ?? '')
}

export function barsOf({ type, noul = 0, choice, probabilities = {}, legend = {} }: DecisionAnswer): readonly Bar[] {
  if (type === 'noul')
    return [
      { name: 'yes', probability: noul, isChosen: noul >= 0.5 },
      { name: 'no', probability: 1 - noul, isChosen: noul < 0.5 },
    ]
  const most = Math.max(...Object.values(probabilities))
  const bars = Object.entries(probabilities).map(([name, probability]) => {
    const meaning = legend[name]
    const shown = typeof meaning === 'string' ? `${name}: ${meaning}` : name
    return { name: shown, probability, isChosen: type === 'choice' ? name === choice : probability === most }
  })
  return type === 'choice' ? bars.toSorted((a, b) => b.probability - a.probability) : bars
}
