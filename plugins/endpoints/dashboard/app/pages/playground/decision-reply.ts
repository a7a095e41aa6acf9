/** The reply of `POST /v1/systemone`. */
export interface DecisionReply {
  readonly id: string
  readonly model: string
  readonly answers: Readonly<Record<string, DecisionAnswer>>
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

export interface DecisionAnswer {
  readonly type: 'noul' | 'choice' | 'score' | 'refusal'
  readonly noul?: number
  readonly choice?: string
  readonly score?: number
  readonly confidence?: number
  readonly probabilities?: Readonly<Record<string, number>>
  readonly legend?: Readonly<Record<string, unknown>>
  readonly uncalibrated?: boolean
}

/** The reply of `POST /v1/decisions`. */
export interface PublicReply extends Omit<DecisionReply, 'answers'> {
  readonly answers: readonly PublicAnswer[]
}

interface PublicAnswer {
  readonly type: 'predicate' | 'choice' | 'score' | 'refusal'
  readonly name: string | null
  readonly probability?: number
  readonly choice?: string | boolean
  readonly score?: number
  readonly confidence?: number
  readonly probabilities?: readonly { readonly probability: number; readonly value: string | boolean | number; readonly label?: string }[]
  readonly uncalibrated?: boolean
}

/** The same answers as the other path has them, to show them alike. */
export function shownReply({ answers, ...reply }: PublicReply): DecisionReply {
  return {
    ...reply,
    answers: Object.fromEntries(answers.map((answer, index) => [answer.name ?? `question ${index + 1}`, shownAnswer(answer)])),
  }
}

function shownAnswer({ type, name: _, probability, choice, probabilities, ...more }: PublicAnswer): DecisionAnswer {
  if (type === 'predicate') return { type: 'noul', noul: probability ?? 0, ...more }
  const shares = probabilities && { probabilities: Object.fromEntries(probabilities.map(each => [String(each.value), each.probability])) }
  const legend = type === 'score' &&
    probabilities && { legend: Object.fromEntries(probabilities.map(({ value, label }) => [String(value), label])) }
  return { ...more, type, ...(choice !== undefined && { choice: String(choice) }), ...shares, ...legend }
}

export interface Bar {
  readonly name: string
  readonly probability: number
  readonly isChosen: boolean
}

/** An answer in a word. */
export function verdictOf({ type, noul, choice, score }: DecisionAnswer): string {
  if (type === 'noul') return (noul ?? 0) >= 0.5 ? 'yes' : 'no'
  if (type === 'refusal') return 'declined'
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
