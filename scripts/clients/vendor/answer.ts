import { outputsOf, textOf, type Question, type Tool } from './question.ts'

/** A text, or calls. */
export interface Answer {
  readonly text?: string
  readonly calls?: readonly Call[]
  /** Before the text or the calls. */
  readonly thought?: Thought
  /** The vendor refuses the request instead. */
  readonly refusal?: string
  /** `text` stands for the conversation, in an item of its own. */
  readonly compacts?: Question['compacts']
  /** Tokens. Default: a few. */
  readonly usage?: Usage
}

export interface Thought {
  readonly text: string
  readonly state: string
}

export interface Usage {
  readonly input: number
  readonly output: number
}

/** Of an answer that does not count. */
export const fewTokens: Usage = { input: 9, output: 4 }

export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** `arguments` is text: a call of a custom tool. */
  readonly custom?: boolean
}

/** What the extraction finds: clients ask for it in many forms. */
const found = { city: 'Oslo', degrees: 21 }

/** The words that ask for a summary, of clients and of the gateway. */
const wantsSummary = /\b(create|write|produce|give)\b[^.]{0,60}\bsummary\b|\bsummari[sz]e\b[^.]{0,40}\bconversation\b/i

/** True if the last that was said asks for a summary, and is not one. */
export function isAskedForSummary({ turns }: Question, mark: string): boolean {
  const last = turns.at(-1)
  return last?.type === 'said' && last.by === 'user' && wantsSummary.test(last.text) && !last.text.includes(mark)
}

/** The scripted model: it reads files, looks up weather, extracts, sees images, remembers a word, and otherwise says hello. */
export function answerTo(question: Question): Answer {
  const { tools, images } = question
  const text = textOf(question)
  const outputs = outputsOf(question)
  const sights = images.map(({ type, bytes }) => `I see ${type} of ${bytes} bytes.`)
  if (isAskedForSummary(question, summaryMark)) return { text: `${summaryMark} ${text}` }
  const [, word] = /remember the word (\w+)/i.exec(text) ?? []
  if (word !== undefined && /which word/i.test(text)) return { text: `The word is ${word}.` }
  if (outputs.length > 0) return { text: [`It said: ${outputs.join(' and ')}`, ...sights].join(' ') }
  if (/extract the city and the degrees/i.test(text)) return extraction(question)
  const clerk = tools.find(({ name }) => name.startsWith('transfer_to_'))
  if (clerk && /pass me on/i.test(text)) return { calls: [call(clerk, 1, {})] }
  const weather = tools.find(({ name }) => /weather/i.test(name))
  if (weather && /weather/i.test(text)) return twice(weather, 'city', ['Oslo', 'Rome'])
  const reader = tools.find(({ name }) => /^read(_file)?$/i.test(name))
  const files = text.match(/\/\S+\.(txt|png)\b/g)
  if (reader && files) return twice(reader, pathIn(reader), [...new Set(files)].slice(-2))
  if (sights.length > 0) return { text: sights.join(' ') }
  return { text: 'Hello to you' }
}

const summaryMark = 'So far, the user said:'

function extraction(question: Question): Answer {
  const { tools, schema } = question
  const tool = tools.find(({ schema }) => schema.properties?.['degrees'])
  if (tool && !schema) return { calls: [call(tool, 1, found)] }
  // A prompt that lays out the answer's fields itself.
  if (textOf(question).includes('[[ ## completed ## ]]'))
    return { text: `[[ ## city ## ]]\n${found.city}\n\n[[ ## degrees ## ]]\n${found.degrees}\n\n[[ ## completed ## ]]` }
  return { text: JSON.stringify(found) }
}

function pathIn({ schema }: Tool): string {
  return Object.keys(schema.properties ?? {}).find(name => /path/i.test(name)) ?? 'path'
}

function twice(tool: Tool, parameter: string, values: readonly string[]): Answer {
  return { calls: values.map((value, index) => call(tool, index + 1, { [parameter]: value })) }
}

function call({ name }: Tool, number: number, input: object): Call {
  return { id: `call_demo_${number}`, name, arguments: JSON.stringify(input) }
}

/** Three pieces of text. */
export function pieces(text: string): readonly string[] {
  const third = Math.ceil(text.length / 3)
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)].filter(piece => piece !== '')
}
