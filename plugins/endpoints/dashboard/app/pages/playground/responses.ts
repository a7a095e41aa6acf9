import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Empty, Problem } from '../../components/feedback.ts'
import { NumberField, SelectField, Switch, TextAreaField, TextField } from '../../components/fields.ts'
import { useForm, type FormState } from '../../components/form.ts'
import { Button, Panel } from '../../components/page.ts'
import { html } from '../../html.ts'
import { AnswerView } from './answer-view.ts'
import { useExchange } from './exchange.ts'
import { callsIn, itemsToSend, requestOf, type ResponseValues } from './request.ts'
import { ShowAs } from './show-as.ts'

type Json = Readonly<Record<string, unknown>>

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const sorts = ['performance', 'cost', 'latency', 'throughput', 'uptime']
const exampleTool = JSON.stringify(
  [
    {
      type: 'function',
      name: 'weather',
      description: 'The weather in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
  undefined,
  2,
)

/** A conversation with a model, as a key. */
export function Responses({ playAs, model }: { readonly playAs: string; readonly model: string }): VNode {
  const form = useForm<ResponseValues>({
    instructions: '',
    input: '',
    effort: '',
    temperature: null,
    max_output_tokens: null,
    sort: '',
    stream: true,
    webSearch: false,
    tools: '',
  })
  const exchange = useExchange()
  const [before, setBefore] = useState<readonly Json[]>([])
  const [shownAs, setShownAs] = useState<Json>()
  const [problem, setProblem] = useState<unknown>()
  const { answer } = exchange
  const calls = answer && answer.status !== 'in_progress' ? callsIn(answer.items) : []
  const isRunning = form.isBusy

  /** `outputs`: what the functions returned that the last answer called. */
  const send = (outputs: Readonly<Record<string, string>> = {}): Promise<void> =>
    form.submit(async values => {
      const history = answer ? [...before, ...itemsToSend(answer.items, outputs)] : before
      const request = requestOf(model, { ...values, input: isEmpty(outputs) ? values.input : '' }, history)
      setBefore(isEmpty(outputs) ? [...history, { role: 'user', content: values.input }] : history)
      const finished = await exchange.send(playAs, request).catch((error: unknown) => {
        setBefore(before)
        throw error
      })
      if (finished?.status === 'completed') form.set('input', '')
    })
  const show = (): void => {
    try {
      setShownAs(requestOf(model, form.values, answer ? [...before, ...itemsToSend(answer.items, {})] : before))
      setProblem(undefined)
    } catch (error) {
      setProblem(error)
    }
  }
  const restart = (): void => {
    setBefore([])
    exchange.clear()
  }

  return html`<div class="playground">
    <form
      class="form"
      onSubmit=${(event: Event) => {
        event.preventDefault()
        void send()
      }}
    >
      <${RequestFields} form=${form} />
      ${(form.error ?? problem) !== undefined && html`<${Problem} error=${form.error ?? problem} />`}
      <div class="form-actions">
        <${Button} onClick=${show}>Show as curl, TypeScript, Python<//>
        ${
          // With keys, so that a click on one button is not the end of a click on the other.
          isRunning
            ? html`<${Button} key="stop" tone="danger" onClick=${exchange.stop}>Stop<//>`
            : html`<${Button} key="send" tone="primary" type="submit" disabled=${form.values.input.trim() === ''}>Send<//>`
        }
      </div>
    </form>
    <${Panel}
      title="Conversation"
      actions=${(before.length > 0 || answer) && html`<${Button} small disabled=${isRunning} onClick=${restart}>Start again<//>`}
    >
      <div class="stack" aria-live="polite">
        ${before.map((item, index) => html`<${Turn} key=${index} item=${item} />`)}
        ${
          answer
            ? html`<${AnswerView} answer=${answer} timing=${exchange.timing} />`
            : before.length === 0 &&
              html`<${Empty} title="Nothing yet"
                >Write an input and send it. It runs as the chosen key, with all its rules, and is recorded and charged like any other
                request.<//
              >`
        }
        ${calls.length > 0 && !isRunning && html`<${Outputs} key=${answer!.id} calls=${calls} onSend=${send} />`}
      </div>
    <//>
    ${shownAs && html`<${ShowAs} surface="responses" request=${shownAs} onClose=${() => setShownAs(undefined)} />`}
  </div>`
}

function RequestFields({ form }: { readonly form: FormState<ResponseValues> }): VNode {
  const { values, set } = form
  return html`
    <div class="prose form">
      <${TextAreaField} form=${form} name="instructions" label="Instructions" rows=${2} placeholder="How to answer" />
      <${TextAreaField} form=${form} name="input" label="Input" required rows=${5} placeholder="What to ask" />
    </div>
    <div class="form-row">
      <${Switch} label="Stream" checked=${values.stream} onChange=${(on: boolean) => set('stream', on)} />
      <${Switch} label="Web search" checked=${values.webSearch} onChange=${(on: boolean) => set('webSearch', on)} />
    </div>
    <details class="more">
      <summary>More settings</summary>
      <div class="form">
        <div class="form-row">
          <${SelectField} form=${form} name="effort" label="Effort" choices=${choices('As the model does', efforts)} />
          <${SelectField} form=${form} name="sort" label="Sort of endpoints" choices=${choices('The default', sorts)} />
        </div>
        <div class="form-row">
          <${NumberField} form=${form} name="temperature" label="Temperature" step=${0.1} />
          <${NumberField} form=${form} name="max_output_tokens" label="Longest answer" unit="tokens" step=${1} />
        </div>
        <${TextAreaField}
          form=${form}
          name="tools"
          label="Tools"
          rows=${6}
          placeholder=${exampleTool}
          hint="A JSON array, as in the API."
        />
        <div><${Button} small onClick=${() => set('tools', exampleTool)}>Fill in an example<//></div>
      </div>
    </details>
  `
}

function choices(none: string, values: readonly string[]): readonly { readonly value: string; readonly label: string }[] {
  return [{ value: '', label: none }, ...values.map(value => ({ value, label: value }))]
}

/** An item of the conversation before the answer. */
function Turn({ item }: { readonly item: Json }): VNode {
  const { role, content, type, output } = item
  if (type === 'function_call' || type === 'custom_tool_call')
    return html`<p class="muted">Called ${String(item['name'])}(${String(item['arguments'] ?? item['input'])})</p>`
  if (role === undefined) return html`<p class="muted">Returned: ${String(output)}</p>`
  return html`<div class=${role === 'user' ? 'asked' : 'said'}>${String(content)}</div>`
}

/** A form for the results of the called functions, before the model continues. */
function Outputs({
  calls,
  onSend,
}: {
  readonly calls: ReturnType<typeof callsIn>
  readonly onSend: (outputs: Readonly<Record<string, string>>) => Promise<void>
}): VNode {
  const form = useForm<Record<string, string>>(Object.fromEntries(calls.map(({ item }) => [String(item['call_id']), ''])))
  return html`<form
    class="form"
    onSubmit=${(event: Event) => {
      event.preventDefault()
      void onSend(form.values)
    }}
  >
    ${calls.map(({ item }) => html`<${TextField} key=${item['call_id']} form=${form} name=${item['call_id']} label=${`What ${String(item['name'])} returns`} required />`)}
    <div class="form-actions"><${Button} tone="primary" type="submit">Send the results<//></div>
  </form>`
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0
}
