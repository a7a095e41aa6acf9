import fc from 'fast-check'
import t from 'tap'
import { Finder } from '../../../plugins/guardrails/redaction/finder.ts'
import { corpus } from '../../../scripts/redaction/score.ts'
import { runs } from '../../kit/runs.ts'

// How much processor time a text costs, beside that of plain English of the same length.

const length = 40_000
const most = 4
/** A slow run says nothing about the text, so only the fastest of several counts. */
const tries = 40
const english =
  'On Monday, Ms. Baker signed the contract: 12 pages, 3 appendices and a note (see section 4.2). The delivery is due on 2026-11-23, ' +
  'at 10:30, and costs $1,250.00. Does `turnpike start --port 8080` read the file? Yes; its URL is https://docs.example.com/start.\n'

const characters = [...'0123456789 .:/-_@+()=%&\\"\',|~*#\n\taeAFxyé中\u200bｊ٤']
const words = (
  '4111 1111 +1 00 sk- sk_live_ ghp_ eyJ .eyJ AKIA SG. key- npm_ xox hooks.slack api_key secret_access_key _authToken= token= password= pwd= :// http://a: ' +
  'a@ @a.bc %40 \\u0040 DE89 AB 1.1.1.1 ::1 tel uid ssn cpf bsn steuer 1980-01-01 415-555-2671 -----BEGIN PRIVATE KEY-----'
).split(' ')
const values = corpus().flatMap(({ text, values }) => values.map(({ start, end }) => text.slice(start, end)))
const part = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...characters) },
  { weight: 4, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.constantFrom(...values) },
)
/** A motif that is repeated, or parts in any order. */
const motifs = fc.oneof(
  { weight: 3, arbitrary: fc.array(part, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.array(part, { minLength: 200, maxLength: 400 }) },
)
/** The dearest that a search by hand has found. */
const dear = [
  '1:',
  '1é',
  ':中',
  '@',
  '(@',
  'a@b.cc ',
  'sk-',
  'eyJ-',
  'pwd=',
  '-----BEGIN ',
  'sk_live_p13TZKQolIarvSg6pgHU4Ccq8',
  'https://jane:demo-pass1@example.com/',
  '2 50 11 59 279 198 13%',
  'AB 16 61 83 C\\',
  'IT82 R662 7312 2203 5980 9674 751\n',
  '+1 415 555 2671 ',
  '4111 1111 1111 1111 ',
  '4111/',
  '4\u200b',
  '４１',
  `token=${'a'.repeat(506)} `,
]

function repeated(motif: string): string {
  return motif.repeat(Math.ceil(length / motif.length)).slice(0, length)
}

const plain = repeated(english)
const finder = new Finder({})

/** In microseconds. */
async function cost(text: string): Promise<number> {
  const before = process.cpuUsage()
  await finder.find(text)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** How many times what English costs at the same time: the least of several runs, or the first that is allowed. */
async function factor(motif: string): Promise<number> {
  const text = repeated(motif)
  let least = Infinity
  for (let run = 0; run < tries && least > most; run++) least = Math.min(least, (await cost(text)) / (await cost(plain)))
  return least
}

t.test(`no text costs more than ${most} times what English does`, async t => {
  for (let run = 0; run < 5; run++) await finder.find(`${values.join(' ')}${plain}`)
  for (const motif of dear) {
    const times = await factor(motif)
    t.ok(times <= most, `${JSON.stringify(motif)}: ${times.toFixed(1)} times`)
  }
  await fc.assert(
    fc.asyncProperty(motifs, async parts => {
      const times = await factor(parts.join(''))
      if (times > most) throw new Error(`${times.toFixed(1)} times`)
    }),
    runs(250),
  )
})
