import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Empty, Loading, Problem } from '../../components/feedback.ts'
import { SelectField, TextAreaField, TextField } from '../../components/fields.ts'
import { useForm, type FormState } from '../../components/form.ts'
import { Icon } from '../../components/icon.ts'
import { Button, Panel } from '../../components/page.ts'
import { html } from '../../html.ts'
import { shownReply, type DecisionReply, type PublicReply } from './decision-reply.ts'
import { DecisionView } from './decision-view.ts'
import { decisionOf, publicDecisionOf, type Question } from './request.ts'
import { ShowAs } from './show-as.ts'

const examples: readonly Question[] = [
  { id: 'angry', type: 'noul', instructions: 'Is the writer angry?', options: '' },
  { id: 'topic', type: 'choice', instructions: '', options: 'billing: Money\nbug: A defect\nother' },
  { id: 'urgency', type: 'score', instructions: '', options: 'can wait\nsoon\ntoday' },
]
const types = [
  { value: 'noul', label: 'Yes or no' },
  { value: 'choice', label: 'One option' },
  { value: 'score', label: 'A level' },
]

interface Values {
  readonly model: string
  readonly state: string
  readonly format: Format
}

type Format = 'systemone' | 'decisions'

const formats = [
  { value: 'systemone', label: 'POST /v1/systemone' },
  { value: 'decisions', label: 'POST /v1/decisions' },
]

/** Questions about a state, answered with probabilities, as a key. */
export function Decisions({ playAs, model }: { readonly playAs: string; readonly model: string }): VNode {
  const form = useForm<Values>({ model, state: 'Where is my money? I have written three times.', format: 'systemone' })
  const [questions, setQuestions] = useState(examples)
  const [reply, setReply] = useState<DecisionReply>()
  const [isShown, setShown] = useState(false)
  const { model: named, state, format } = form.values
  const request = (format === 'decisions' ? publicDecisionOf : decisionOf)(named.trim(), state, questions)
  const send = (event: Event): void => {
    event.preventDefault()
    void form.submit(async () => {
      setReply(undefined)
      if (new Set(questions.map(({ id }) => id)).size < questions.length)
        throw new Error('Two questions have the same name. Rename one of them.')
      const path = `/playground/${format}`
      const body = { key: playAs, request }
      setReply(format === 'decisions' ? shownReply(await api.post<PublicReply>(path, body)) : await api.post<DecisionReply>(path, body))
    })
  }
  const change = (index: number, question: Question): void => setQuestions(questions.with(index, question))
  const add = (): void => setQuestions([...questions, { id: freeId(questions), type: 'noul', instructions: '', options: '' }])
  return html`<div class="playground">
    <form class="form" onSubmit=${send}>
      <${TextField}
        form=${form}
        name="model"
        label="Decision model"
        required
        hint="Such as sandbox/dm. Models that generate text do not decide."
      />
      <${SelectField}
        form=${form}
        name="format"
        label="Format"
        required
        choices=${formats}
        hint="The second one is that of the openai package."
      />
      <${TextAreaField} form=${form} name="state" label="State" required rows=${4} hint="Text or JSON: what the questions are about." />
      ${questions.map(
        (question, index) =>
          html`<${QuestionFields}
            key=${index}
            question=${question}
            onChange=${(changed: Question) => change(index, changed)}
            onRemove=${questions.length > 1 ? () => setQuestions(questions.toSpliced(index, 1)) : undefined}
          />`,
      )}
      <div><${Button} small icon=${html`<${Icon} name="plus" size=${14} />`} onClick=${add}>Add a question<//></div>
      ${form.error !== undefined && html`<${Problem} error=${form.error} />`}
      <div class="form-actions">
        <${Button} onClick=${() => setShown(true)}>Show as curl, TypeScript, Python<//>
        <${Button} tone="primary" type="submit" disabled=${form.isBusy || form.values.model.trim() === ''}>Decide<//>
      </div>
    </form>
    <${Panel} title="Answers">
      <div aria-live="polite">
        ${reply ? html`<${DecisionView} reply=${reply} />` : form.isBusy ? html`<${Loading} label="Deciding" />` : html`<${Empty} title="Nothing yet">Every answer comes with its probabilities.<//>`}
      </div>
    <//>
    ${isShown && html`<${ShowAs} surface=${format} request=${request} onClose=${() => setShown(false)} />`}
  </div>`
}

function QuestionFields({
  question,
  onChange,
  onRemove,
}: {
  readonly question: Question
  readonly onChange: (question: Question) => void
  readonly onRemove: (() => void) | undefined
}): VNode {
  const form = fieldsOf(question, onChange)
  return html`<fieldset class="question">
    <legend class="hidden">Question ${question.id}</legend>
    <div class="form-row">
      <${TextField} form=${form} name="id" label="Question" required />
      <${SelectField} form=${form} name="type" label="Answer" required choices=${types} />
    </div>
    <${TextField} form=${form} name="instructions" label="Instructions" placeholder="What to decide" />
    ${
      question.type !== 'noul' &&
      html`<${TextAreaField}
        form=${form}
        name="options"
        label=${question.type === 'choice' ? 'Options' : 'Levels, the lowest first'}
        required
        rows=${3}
        hint=${question.type === 'choice' ? 'One per line, with a description after a colon.' : 'One a line.'}
      />`
    }
    ${onRemove && html`<div><${Button} small tone="quiet" icon=${html`<${Icon} name="trash" size=${14} />`} onClick=${onRemove}>Remove<//></div>`}
  </fieldset>`
}

/** Fields whose values are kept by the list of questions. */
function fieldsOf(question: Question, onChange: (question: Question) => void): Pick<FormState<Question>, 'values' | 'set' | 'errorOf'> {
  return { values: question, set: (name, value) => onChange({ ...question, [name]: value }), errorOf: () => undefined }
}

function freeId(questions: readonly Question[]): string {
  let number = questions.length + 1
  while (questions.some(({ id }) => id === `question_${number}`)) number++
  return `question_${number}`
}
