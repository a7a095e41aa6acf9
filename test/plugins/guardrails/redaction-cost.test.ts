import fc from 'fast-check'
import t from 'tap'
import type { GenerationRequest, RunContext } from '../../../core/index.ts'
import { Finder } from '../../../plugins/guardrails/redaction/finder.ts'
import { Searches } from '../../../plugins/guardrails/redaction/searches.ts'
import { RedactionSession } from '../../../plugins/guardrails/redaction/session.ts'
import { corpus } from '../../../scripts/redaction/score.ts'
import { runs } from '../../kit/runs.ts'

// The processor time for a text, compared with plain English of the same length: to read, search and replace it, and to keep the findings.

const length = 40_000
const most = 4
/** A slow run says nothing about the text, so only the fastest of several counts, of either text. */
const fewestTries = 4
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

/** Different values of each kind, by their number. Each gets its own placeholder. */
const distinct: Readonly<Record<string, (index: number) => string>> = {
  'IPv4 addresses': index => `1.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
  'IPv6 addresses': index => `2001:db8::${(index >> 8).toString(16)}:${(index & 255).toString(16)}1`,
  'mail addresses': index => `a${index}@b.cc`,
  'mail addresses with marks': index => `a.**b${index}**@c.cc`,
  'mail addresses with marks in the domain': index => `a@**b${index}**.cc`,
  cards: cardNumber,
  'cards in groups': index => groups(cardNumber(index), ' '),
  'cards in groups far apart': index => groups(cardNumber(index), ' / '),
  'cards on two lines': index => groups(cardNumber(index), ' ').replace(' ', '\n'),
  IBANs: accountNumber,
  'IBANs in groups': index => groups(accountNumber(index), ' '),
  'phone numbers': index => `+1415${5_550_000 + index}`,
  'phone numbers in groups': index => groups(`${41_500_000 + index}`, ' ').replace('', '+49 '),
  'announced phone numbers': index => `tel ${4_155_550_000 + index}`,
  'US social security numbers': index => `${100 + (index % 500)}-${10 + (index % 89)}-${1_000 + index}`,
  'announced US social security numbers': index => `ssn 536 ${10 + (index % 89)} ${1_000 + index}`,
  'UK national insurance numbers': index => `AB${100_000 + index}C`,
  'Indian tax numbers': index => `ABCP${letter(index)}${1_000 + index}F`,
  'Brazilian tax numbers': cpf,
  'Spanish identity numbers': index => `${10_000_000 + index}${'TRWAGMYFPDXBNJZSQVHLCKE'[(10_000_000 + index) % 23]}`,
  'keys of vendors': index => `sk-a1B2c3D4e5F6${10_000_000 + index}`,
  'announced keys': index => `token=a1B2c3D4e5F6${10_000_000 + index}`,
  'passwords in URLs': index => `http://j:demo-${index}@e.cc/`,
  'German tax numbers that are not valid': index => `36 574 ${100 + (index % 900)} ${100 + ((index * 7) % 900)}`,
  'Indian identity numbers, few of them valid': index => `2341-${1_000 + (index % 9_000)}-${1_000 + ((index * 7) % 9_000)}`,
  'US social security numbers that are not valid': index => `000-${10 + (index % 89)}-${1_000 + index}`,
}

function letter(index: number): string {
  return String.fromCharCode(0x41 + (index % 26))
}

function groups(digits: string, separator: string): string {
  return digits.replaceAll(/.{4}(?=.)/g, `$&${separator}`)
}

function cardNumber(index: number): string {
  const digits = `41111111${String(index).padStart(7, '0')}`
  let sum = 0
  for (const [place, digit] of [...digits].entries())
    sum += place % 2 === 0 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][Number(digit)]! : Number(digit)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

function accountNumber(index: number): string {
  const account = `37040044${String(index).padStart(10, '0')}`
  return `DE${String(98n - (BigInt(`${account}131400`) % 97n)).padStart(2, '0')}${account}`
}

function cpf(index: number): string {
  let digits = String(100_000_000 + index)
  while (digits.length < 11) {
    const sum = [...digits].reduce((sum, digit, place) => sum + Number(digit) * (digits.length + 1 - place), 0)
    digits += ((sum * 10) % 11) % 10
  }
  return digits.replace(/(...)(...)(...)/, '$1.$2.$3-')
}

/** As many as make a text of that length, between what a text or a document has around them. */
function many(value: (index: number) => string, around: number): readonly string[] {
  const values: string[] = []
  for (let size = 0; size < length; size += values.at(-1)!.length + around) values.push(value(values.length))
  return values
}

const layouts: Readonly<Record<string, (value: (index: number) => string) => string>> = {
  'in a text': value => many(value, 1).join(' '),
  'as keys of JSON': value => JSON.stringify(Object.fromEntries(many(value, 6).map(each => [each, '']))),
  'as texts of JSON': value => JSON.stringify(many(value, 3)),
}

function repeated(motif: string): string {
  return motif.repeat(Math.ceil(length / motif.length)).slice(0, length)
}

const plain = repeated(english)
const finder = new Finder({})
const searches = new Searches({ maxRequests: 1, maxCharacters: 1, maxRequestsPerOwner: 1, maxCharactersPerOwner: 1 })

/** In microseconds: what a request with one text pays, whose content is stored. */
async function cost(content: string): Promise<number> {
  const context = { caller: { owner: 'jane', policy: { logging: { value: true } } }, keep() {} } as unknown as RunContext
  const request = { model: 'm', input: [{ type: 'message', role: 'user', content }] } as unknown as GenerationRequest
  const before = process.cpuUsage()
  const session = new RedactionSession({}, searches, async () => finder, context)
  await session.input(request, new AbortController().signal)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** How many times what English costs at the same time. Tries until it is allowed. */
async function factor(text: string): Promise<number> {
  let own = Infinity
  let ofPlain = Infinity
  for (let run = 0; run < fewestTries || (run < tries && own / ofPlain > most); run++) {
    own = Math.min(own, await cost(text))
    ofPlain = Math.min(ofPlain, await cost(plain))
  }
  return own / ofPlain
}

t.test(`no text costs more than ${most} times what English does`, async t => {
  for (let run = 0; run < 5; run++) await cost(`${values.join(' ')}${plain}`)
  for (const motif of dear) {
    const times = await factor(repeated(motif))
    t.ok(times <= most, `${JSON.stringify(motif)}: ${times.toFixed(1)} times`)
  }
  for (const [kind, value] of Object.entries(distinct))
    for (const [where, text] of Object.entries(layouts)) {
      const times = await factor(text(value))
      t.ok(times <= most, `${kind} ${where}: ${times.toFixed(1)} times`)
    }
  await fc.assert(
    fc.asyncProperty(motifs, async parts => {
      const times = await factor(repeated(parts.join('')))
      if (times > most) throw new Error(`${times.toFixed(1)} times`)
    }),
    runs(250),
  )
})

t.test('the values that are all different are found', async t => {
  for (const [kind, value] of Object.entries(distinct)) {
    if (kind.includes('valid')) continue
    const texts = many(value, 1)
    t.equal(new Set(texts).size, texts.length, kind)
    for (const index of [0, 1, 2, 3, 100, 500]) t.equal((await finder.find(texts[index]!)).length, 1, `${kind}: ${texts[index]}`)
  }
})
