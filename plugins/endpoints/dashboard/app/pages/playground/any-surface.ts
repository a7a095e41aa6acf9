import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Empty, Notice, Problem } from '../../components/feedback.ts'
import { TextAreaField } from '../../components/fields.ts'
import { useForm } from '../../components/form.ts'
import { Button, Panel } from '../../components/page.ts'
import { count, duration } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import { useRawExchange, type RawReply } from './raw-exchange.ts'
import { ShowAs } from './show-as.ts'
import { addressed, bodyOf, pretty, type Trial } from './trial.ts'

/** A request to any surface, in its own format, as a key. */
export function AnySurface({ playAs, model, trial }: { readonly playAs: string; readonly model: string; readonly trial: Trial }): VNode {
  const form = useForm({ body: pretty(trial.example) })
  const exchange = useRawExchange()
  const [shownAs, setShownAs] = useState<ReturnType<typeof addressed>>()
  const [problem, setProblem] = useState<unknown>()
  const { reply } = exchange
  const show = (): void => {
    try {
      setShownAs(addressed(trial, bodyOf(model, form.values.body)))
      setProblem(undefined)
    } catch (error) {
      setProblem(error)
    }
  }
  const failure = form.error ?? problem
  return html`<div class="playground">
    <form
      class="form"
      onSubmit=${(event: Event) => {
        event.preventDefault()
        setProblem(undefined)
        void form.submit(values => exchange.send(playAs, trial, bodyOf(model, values.body)))
      }}
    >
      <${TextAreaField}
        form=${form}
        name="body"
        label="Body"
        required
        rows=${16}
        hint=${`What POST ${trial.path} takes. The model is added.`}
      />
      ${failure !== undefined && html`<${Problem} error=${failure} />`}
      <div class="form-actions">
        <${Button} onClick=${show}>Show as curl, TypeScript, Python<//>
        ${
          form.isBusy
            ? html`<${Button} key="stop" tone="danger" onClick=${exchange.stop}>Stop<//>`
            : html`<${Button} key="send" tone="primary" type="submit">Send<//>`
        }
      </div>
    </form>
    <${Panel} title="Reply">
      <div class="stack" aria-live="polite">
        ${
          reply
            ? html`<${Reply} reply=${reply} />`
            : html`<${Empty} title="Nothing yet"
                >The request runs as the chosen key, with all its rules, and is recorded and charged like any other.<//
              >`
        }
      </div>
    <//>
    ${
      shownAs &&
      html`<${ShowAs} surface=${trial.name} path=${shownAs.path} request=${shownAs.body} onClose=${() => setShownAs(undefined)} />`
    }
  </div>`
}

function Reply({ reply }: { readonly reply: RawReply }): VNode {
  const { isOpen, requestId, text, thoughts, parts, isStream, problem, timing } = reply
  const isReadable = text !== '' || thoughts !== ''
  return html`<div class="answer" aria-busy=${isOpen}>
    ${
      thoughts !== '' &&
      html`<details class="thought" open=${isOpen && text === ''}>
        <summary>Reasoning</summary>
        <div>${thoughts}</div>
      </details>`
    }
    ${text !== '' && html`<div class=${isOpen ? 'said open' : 'said'}>${text}</div>`}
    ${problem !== undefined && html`<${Notice} tone="bad">${problem}<//>`}
    ${isOpen && parts.length === 0 && html`<p class="muted" role="status">Waiting for the reply…</p>`}
    ${
      !isOpen &&
      parts.length > 0 &&
      html`<details class="more" open=${!isReadable}>
        <summary>${isStream ? `${count(parts.length)} events as they came` : 'The reply as it came'}</summary>
        <pre class="plain" tabindex="0">
${
  isStream
    ? parts
        .map(part => JSON.stringify(part))
        .join('\n')
        .slice(0, longest)
    : pretty(parts[0])
}</pre>
      </details>`
    }
    ${
      !isOpen &&
      html`<p class="answer-facts">
        ${timing.firstMs !== undefined && html`<span>first event after ${duration(timing.firstMs)}</span>`}
        ${timing.totalMs !== undefined && html`<span>${duration(timing.totalMs)} in all</span>`}
        ${requestId !== null && html`<a href=${hrefOf('logs', { record: requestId })}>See its record</a>`}
      </p>`
    }
  </div>`
}

/** What a page still shows without delay. */
const longest = 200_000
