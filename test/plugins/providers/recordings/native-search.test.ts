import t from 'tap'
import type { GenerationEvent, PluginUse } from '../../../../core/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import { hosts, type HostName } from '../../../../plugins/providers/openai-chat/hosts.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import { recordedReply, recordings, recordingsAbsent, type Recording } from '../../../kit/recordings.ts'
import { PieceDecoder } from './pieces.ts'

// Results of vendors' own searches, beyond what all replays compare: places of citations, results, and counts.

interface Family {
  readonly vendors: readonly string[]
  /** How many recordings show a search, and how many of them cite. */
  readonly searching: number
  readonly citing: number
  /** Matches a cited place in the text. */
  readonly cites: RegExp
  /** True if the reply has the queries, the results and the number of searches. */
  readonly queries: boolean
  readonly titles: boolean
  readonly counted: boolean
}

const linked = /^\(?\[.*\]\(https?:.*\)\)?$/s

const families: readonly Family[] = [
  {
    vendors: ['openai-responses', 'azure-openai-responses'],
    searching: 8,
    citing: 7,
    cites: linked,
    queries: true,
    titles: false,
    counted: true,
  },
  {
    vendors: ['xai-responses'],
    searching: 3,
    citing: 3,
    cites: /^(\[\[\d+\]\]\(https?:.*\)|)$/,
    queries: true,
    titles: false,
    counted: true,
  },
  { vendors: ['anthropic'], searching: 8, citing: 5, cites: /./s, queries: true, titles: true, counted: true },
  { vendors: ['gemini', 'vertex-gemini'], searching: 4, citing: 4, cites: /./s, queries: true, titles: true, counted: true },
  { vendors: ['perplexity'], searching: 9, citing: 2, cites: /^\[\d+\]$/, queries: false, titles: true, counted: false },
  { vendors: ['groq'], searching: 2, citing: 0, cites: /^$/, queries: true, titles: true, counted: true },
  {
    vendors: ['openrouter'],
    searching: 3,
    citing: 3,
    cites: /^(\(?\[.*\]\(https?:.*\)\)?|)$/s,
    queries: false,
    titles: true,
    counted: true,
  },
]

for (const family of families) {
  t.test(family.vendors.join(' and '), { skip: recordingsAbsent }, async t => {
    let searching = 0
    let citing = 0
    let asked = 0
    let titled = 0
    let counted = 0
    for (const recording of recordings().filter(({ vendor, status }) => family.vendors.includes(vendor) && status === 200)) {
      const events = await eventsOf(recording)
      const searches = events.filter(event => event.type === 'search' && event.status !== 'in_progress')
      if (searches.length === 0) continue
      searching += 1
      const places = citedPlaces(events)
      if (places.length > 0) citing += 1
      for (const place of places) t.match(place, family.cites, `${recording.path}: ${place.slice(0, 80)}`)
      for (const search of searches) {
        if (search.type !== 'search' || search.action.type !== 'search') continue
        if (search.action.query !== '') asked += 1
        t.same(search.results?.map(({ url }) => url) ?? [], search.results ? search.action.sources?.map(({ url }) => url) : [])
        if (search.results?.some(({ title }) => title)) titled += 1
      }
      const usage = events.filter(event => event.type === 'usage').at(-1)
      if (usage?.type === 'usage' && (usage.usage.toolCalls?.['web_search'] ?? 0) > 0) counted += 1
    }
    t.comment(`${searching} searching, ${citing} citing, ${titled} searches with titles, ${counted} counted`)
    t.same([searching, citing], [family.searching, family.citing])
    t.equal(asked > 0, family.queries, 'queries')
    t.equal(titled > 0, family.titles, 'titles')
    t.equal(counted > 0, family.counted, 'counts')
  })
}

async function eventsOf(recording: Recording): Promise<readonly GenerationEvent[]> {
  const reply = recordedReply(recording)!
  const { events } = await new PieceDecoder(pluginFor(recording), recording.model || 'any').decode(
    recording.status,
    reply.headers,
    [reply.body],
    recording.mode === 'stream',
  )
  return events
}

function pluginFor({ api, vendor }: Recording): PluginUse {
  const shared = { id: 'vendor', baseUrl: 'https://vendor.example.com', apiKey: 'sk-demo-replay' }
  if (api === 'responses') return openaiResponses(shared)
  if (api === 'messages') return anthropic(shared)
  if (api === 'generateContent') return gemini(shared)
  return openaiChat({ ...shared, host: vendor in hosts ? (vendor as HostName) : 'compatible' })
}

/** The texts of the messages at the places that citations give. An item of another kind ends a message. */
function citedPlaces(events: readonly GenerationEvent[]): readonly string[] {
  const places: string[] = []
  let text = ''
  let annotations: { readonly start: number; readonly end: number }[] = []
  const close = (): void => {
    places.push(...annotations.map(({ start, end }) => text.slice(start, end)))
    text = ''
    annotations = []
  }
  for (const event of events) {
    if (event.type === 'text') text += event.text
    else if (event.type === 'annotation') annotations.push(event)
    else if (event.type !== 'usage' && event.type !== 'model') close()
  }
  close()
  return places
}
