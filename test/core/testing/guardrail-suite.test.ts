import t from 'tap'
import { Guardrails, invalidRequest, type Guardrail, type GuardSession } from '../../../core/index.ts'
import { decisionTexts, requestTexts } from '../../../core/kit.ts'
import { guardrailSuite } from '../../../core/testing/index.ts'
import { adds, complaints, type Case } from './complaints.ts'

const word = 'launch code'
const refuse = invalidRequest('This request contains a forbidden word.', 'input', 'invalid_prompt')
const verdict = (texts: Iterable<{ readonly text: string }>) =>
  [...texts].some(({ text }) => text.includes(word)) ? { refuse } : { pass: true as const }

const good: GuardSession = {
  input: request => verdict(requestTexts(request).slots),
  decision: request => verdict(decisionTexts(request).slots),
}

/** Holds back what may be the beginning of the word, and replaces the word. */
function filter() {
  let held = ''
  return {
    push(text: string) {
      const all = (held + text).replaceAll(word, '***')
      const keep = Math.min(all.length, word.length - 1)
      held = all.slice(all.length - keep)
      return all.slice(0, all.length - keep)
    },
    flush: () => held,
  }
}

function found(session: GuardSession, more: Partial<Guardrail> = {}): Promise<readonly string[]> {
  const plugin = adds<Guardrail>(Guardrails, () => ({
    name: 'demo',
    enforces: ['redaction'],
    onFailure: 'refuse',
    timeoutMs: 1_000,
    seesContent: 'local',
    open: ({ caller: { policy } }) => (policy.redaction.value ? session : undefined),
    ...more,
  }))
  return complaints(suite => guardrailSuite(suite, { plugin, caught: [word], passed: ['launch', 'code'] }))
}

t.test('the suite accepts a guardrail that keeps its contract', async t => {
  t.same(await found({ ...good, output: () => filter() }), [])
  t.same(await found(good, { settingsProblem: () => ({ path: '', message: 'It takes none.' }), strictestSettings: () => ({}) }), [])
})

const caught = 'text 1 to catch: no model gets it, wherever it is'
const cut = 'an answer is the same no matter how it is cut'
const cases: readonly Case<{ readonly session: GuardSession; readonly more?: Partial<Guardrail> }>[] = [
  {
    mistake: 'looks at the input alone',
    members: { session: { ...good, input: ({ input }) => (JSON.stringify(input).includes(word) ? { refuse } : { pass: true }) } },
    noticed: [caught],
  },
  {
    mistake: 'lets decisions pass',
    // Core itself refuses decisions under `redaction`.
    members: {
      session: { ...good, decision: () => ({ pass: true }) },
      more: { enforces: [], open: () => ({ ...good, decision: () => ({ pass: true }) }) },
    },
    noticed: [caught],
  },
  {
    mistake: 'replaces a word in single pieces',
    members: { session: { ...good, output: () => ({ push: text => text.replaceAll(word, '***'), flush: () => '' }) } },
    noticed: [cut],
  },
  {
    mistake: 'forgets what it held back',
    members: { session: { ...good, output: () => ({ ...filter(), flush: () => '' }) } },
    noticed: ['an ordinary request gets its answer, streamed or not', cut],
  },
  {
    mistake: 'breaks JSON',
    members: {
      session: { ...good, output: ({ json }) => (json ? { push: text => text.replaceAll('"', "'"), flush: () => '' } : undefined) },
    },
    noticed: ['JSON stays JSON'],
  },
  {
    mistake: 'takes every request to have instructions',
    members: { session: { ...good, input: ({ instructions }) => (instructions!.includes(word) ? { refuse } : { pass: true }) } },
    noticed: ['an ordinary request gets its answer, streamed or not', 'any text is checked, and none makes it fail'],
  },
  {
    mistake: 'writes to the request',
    members: { session: { ...good, input: request => (((request as { input: unknown }).input = []), { pass: true }) } },
    noticed: ['an ordinary request gets its answer, streamed or not', 'requests at once are kept apart'],
  },
  {
    mistake: 'fails on settings that it does not know',
    members: { session: good, more: { settingsProblem: (_, settings) => (settings['words'] as string[]).map(() => undefined)[0] } },
    noticed: ['any settings are judged, and the given ones accepted'],
  },
  {
    mistake: 'takes the last settings for the strictest',
    members: { session: good, more: { strictestSettings: (_, settings) => ({ count: settings.length }) } },
    noticed: ['any settings are judged, and the given ones accepted'],
  },
]

for (const { mistake, members, noticed } of cases)
  t.test(`the suite notices a guardrail that ${mistake}`, async t => {
    const names = await found(members.session, members.more)
    for (const name of noticed) t.ok(names.includes(name), `${name}; noticed by: ${names.join('; ')}`)
  })

/** Puts a placeholder in the place of the words, and the words back into the answer. */
function restoring(words: readonly string[], known: () => Map<string, string>): () => GuardSession {
  return () => {
    const placed = known()
    const place = (text: string): string =>
      words.reduce((result, each) => {
        if (!result.includes(each)) return result
        const placeholder = `[WORD_${[...placed.values(), each].indexOf(each) + 1}]`
        placed.set(placeholder, each)
        return result.replaceAll(each, placeholder)
      }, text)
    const restore = (text: string): string =>
      [...placed].reduce((result, [placeholder, each]) => result.replaceAll(placeholder, each), text)
    return {
      input(request) {
        const texts = requestTexts(request)
        for (const slot of texts.slots) slot.replace(place(slot.text))
        texts.finish()
        return { replace: texts.request }
      },
      decision: request => verdict(decisionTexts(request).slots),
      output: () => {
        let all = ''
        return { push: text => ((all += text), ''), flush: () => restore(all) }
      },
    }
  }
}

t.test('the suite notices that one state serves all requests', async t => {
  const complaintsOf = (open: () => GuardSession): Promise<readonly string[]> => found(good, { enforces: [], open })
  t.same(await complaintsOf(restoring([word], () => new Map())), [])
  const shared = new Map<string, string>()
  t.same(await complaintsOf(restoring([word], () => shared)), ['no request gets the texts of another'])
})
