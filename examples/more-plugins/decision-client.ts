// The model `acme-keywords/keywords` decides by words: an answer is likely if the state has the words that describe it.

import { CatalogSources, DecisionClients, definePlugin } from 'turnpike'
import { answerBy, estimateTokens, type DecisionAnswer, type Question } from 'turnpike/kit'

export default definePlugin({
  name: 'acme-keywords',
  contracts: { DecisionClients: 1, CatalogSources: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    const provider = 'acme-keywords'
    gateway.add(DecisionClients, {
      provider,
      prefixOnly: true,
      resolve: model => (model === 'keywords' ? 'keywords-1' : undefined),
      async decide({ request: { state, questions }, signal }) {
        signal.throwIfAborted()
        const words = wordsOf(state)
        const answers = Object.fromEntries(Object.entries(questions).map(([id, question]) => [id, answerTo(question, words)]))
        const tokens = (value: unknown): number => estimateTokens(JSON.stringify(value).length)
        return { answers, usage: { input_tokens: tokens(state) + tokens(questions), output_tokens: tokens(answers) } }
      },
    })
    gateway.add(CatalogSources, {
      name: 'acme-keywords',
      entries: () => [
        {
          model: `${provider}/keywords`,
          endpoints: [{ provider, kind: 'decision', upstreamModel: 'keywords-1', price: { input: 0, output: 0 } }],
        },
      ],
    })
  },
})

function answerTo(question: Question, words: ReadonlySet<string>): DecisionAnswer {
  if (question.type === 'noul') return answerBy(question, [shared(question.instructions, words) > 0 ? 1 : 0])
  const described = question.type === 'choice' ? Object.entries(question.criteria) : question.criteria
  const matches = described.map(criterion => shared(criterion, words))
  const best = matches.indexOf(Math.max(...matches))
  return answerBy(
    question,
    matches.map((_, index) => (index === best ? 1 : 0)),
  )
}

/** How many words of a description the state has. */
function shared(description: unknown, words: ReadonlySet<string>): number {
  return [...wordsOf(description)].filter(word => words.has(word)).length
}

function wordsOf(value: unknown): ReadonlySet<string> {
  return new Set((JSON.stringify(value) ?? '').toLowerCase().match(/[\p{L}\p{N}]{4,}/gu))
}
