import t from 'tap'
import { AddressFinder } from '../../../core/generation/tools/address-finder.ts'
import { CitedPages } from '../../../core/generation/tools/cited-pages.ts'

const known = [
  'https://example.com/a',
  'https://example.com/b/',
  'https://en.wikipedia.example.com/wiki/Foo_(bar)',
  'https://example.com/?q=1',
]
const pages = new CitedPages()
pages.add({ sources: known.map(url => ({ url })) }, undefined)

/** The citations in a text that arrives in these pieces. */
function cited(pieces: readonly string[]): readonly string[] {
  const text = pieces.join('')
  const found: string[] = []
  const finder = new AddressFinder(0, ({ text: address, start, linkStart }) => {
    const match = pages.find(address)
    if (!match) return
    const isLink = linkStart !== undefined && match.length === address.length
    found.push(isLink ? text.slice(linkStart, start + match.length + 1) : text.slice(start, start + match.length))
  })
  for (const piece of pieces) finder.add(piece)
  finder.end()
  return found
}

const a = 'https://example.com/a'
const cases: readonly (readonly [text: string, ...quoted: readonly string[]])[] = [
  ['nothing'],
  [`See ${a}`, a],
  [`See ${a}. And ${a}, or (${a})!`, a, a, a],
  [`"${a}" <${a}> '${a}' **${a}** _${a}_ \`${a}\``, a, a, a, a, a, a],
  [`[${a}] and [A](${a}) and ([A](${a})) and [[1]](${a})`, a, `[A](${a})`, `[A](${a})`, `[[1]](${a})`],
  [`[${a}](${a}) [see ${a}](${a})`, `[${a}](${a})`, `[see ${a}](${a})`],
  [`[A](${a})[B](https://example.com/b)`, `[A](${a})`, '[B](https://example.com/b)'],
  [`[A](${a} "title") [A](<${a}>)`, a, a],
  [`${a}/ ${a}#part https://EXAMPLE.com/b`, `${a}/`, `${a}#part`, 'https://EXAMPLE.com/b'],
  [`${a}[1] ${a}是。${a}。“${a}”`, a, a, a, a],
  ['https://en.wikipedia.example.com/wiki/Foo_(bar)) and (https://en.wikipedia.example.com/wiki/Foo_(bar))', ...Array(2).fill(known[2])],
  ['https://example.com?q=1 https://example.com/?q=2', 'https://example.com?q=1'],
  [`${a}b ${a}/b ${a}.html ${a}?x=1 http://example.com/a example.com/a https://example.org/a`],
  [`😀 ${a} 😀`, a],
  [`\n\n[x\n\n](${a})`, a],
  [`](${a}) (${a}`, a, a],
  [`${'x'.repeat(5_000)} [A](${a}) ${'https://example.com/'.repeat(500)} ${a}`, `[A](${a})`, a],
  [`[${'long '.repeat(200)}](${a})`, a],
  [`{"url":"${a}","text":"${a}\\"."}`, a, a],
  [`http https:// https://x ${a}`, a],
]

t.test('known addresses are found, however the text is cut', async t => {
  for (const [text, ...quoted] of cases) {
    const name = text.slice(0, 60)
    t.same(cited([text]), quoted, name)
    t.same(cited([...text]), quoted, `${name}, letter by letter`)
    for (const size of [2, 3, 7, 20]) t.same(cited(text.match(new RegExp(`[^]{1,${size}}`, 'g'))!), quoted, `${name}, by ${size}`)
  }
})

t.test('of several results on one page, the one with the same fragment is cited', async t => {
  const sections = ['#one', '#two'].map(part => ({ url: `https://example.com/${part}`, title: `Part ${part}` }))
  const whole = { url: 'https://example.com/', title: 'All' }
  for (const [results, other] of [
    [sections, 'Part #one'],
    [[...sections, whole], 'All'],
  ] as const) {
    const found = new CitedPages()
    found.add({}, results)
    for (const [address, title] of [
      ['https://example.com/#two', 'Part #two'],
      ['https://example.com#two', 'Part #two'],
      ['https://example.com/#three', other],
      ['https://example.com/', other],
    ] as const)
      for (const behind of ['', '.', '!).'])
        t.match(found.find(address + behind), { page: { title }, length: address.length }, address + behind)
  }
})

t.test('text that looks like an endless address is given up', async t => {
  const lengths: number[] = []
  const finder = new AddressFinder(0, ({ text }) => lengths.push(text.length))
  for (let count = 0; count < 10_000; count++) finder.add('https://example.com/abcdefgh')
  finder.end()
  t.ok(lengths.every(length => length <= 2_200))
})
