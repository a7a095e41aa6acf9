import { createRequire } from 'node:module'
import type { KnownBlock } from '@slack/types'
import type * as Cards from 'adaptivecards'
import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'
import t from 'tap'
import type { Alert } from '../../../core/admin.ts'
import { bodyOf } from '../../../plugins/alerts/webhook/body.ts'
import { fittedText } from '../../../plugins/alerts/webhook/formats/fitted-text.ts'
import { alertNotice, digestNotice, testNotice, type Notice } from '../../../plugins/alerts/webhook/notice.ts'
import { alertOf } from './webhook-stage.ts'

// The services themselves cannot be reached from a test, so bodies are checked against what they publish: the rules of Block Kit, the limits of
// embeds, and Microsoft's own parser of Adaptive Cards.

/** Its main module is none that Node.js can load. */
const AdaptiveCards = createRequire(import.meta.url)('adaptivecards/dist/adaptivecards.js') as typeof Cards

const hostile = [
  '<!channel> <!here> <!everyone> <@U0123456> <#C0123456> <https://example.com|click> &lt;!channel&gt;',
  '@everyone @here <@123456789012345678> <@&123> <#123> **bold** [click](https://example.com) `code` ||spoiler|| https://example.com',
  '<at>everyone</at> # heading * list _x_ ~~y~~',
  '*bold*\n> quote\n```\ncode',
  '\u202Eevil\u202C \u0000\u0007 null \uD800 lone',
  `${'\u{1F6A8}'.repeat(400)}`,
  '&<>'.repeat(2_000),
  '\\@'.repeat(4_000),
  '',
]

function noticesOf(text: string): readonly Notice[] {
  const facts = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${text.slice(0, 300)}_${index}`, text]))
  const alert: Alert = alertOf('demo', { title: text.slice(0, 200), message: text.slice(0, 1_000), org: text || null, facts })
  return [
    alertNotice(alert, null),
    alertNotice({ ...alert, resolves: 'other', severity: 'info' }, 'target'),
    digestNotice({ from: 0, to: 1, counts: { cap: 3, 'key-unused': 1 } }, 2),
    testNotice(text || 'x', 'acme', 1),
  ]
}

const all = hostile.flatMap(noticesOf)

t.test('Slack: within the limits of Block Kit, and nobody is mentioned', t => {
  for (const notice of all) {
    const { text, blocks } = JSON.parse(bodyOf('slack', notice)) as { readonly text: string; readonly blocks: readonly KnownBlock[] }
    t.ok(blocks.length <= 50)
    t.ok(text.length > 0 && text.length <= 3_000)
    t.notMatch(text, /[<>]|&(?!amp;|lt;|gt;)/)
    const texts = blocks.flatMap(block => {
      if (block.type === 'header') {
        t.ok(block.text.text.length >= 1 && block.text.text.length <= 150, `${block.text.text.length}`)
        return [block.text]
      }
      if (block.type === 'section') {
        if (block.text) t.ok(block.text.text.length >= 1 && block.text.text.length <= 3_000)
        t.ok((block.fields ?? []).length <= 10 && block.fields?.length !== 0)
        for (const field of block.fields ?? []) t.ok(field.text.length >= 1 && field.text.length <= 2_000)
        return [...(block.text ? [block.text] : []), ...(block.fields ?? [])]
      }
      if (block.type !== 'context') throw new Error(block.type)
      t.ok(block.elements.length <= 10)
      return block.elements.map(element => element as { readonly type: string; readonly text: string })
    })
    for (const each of texts) {
      t.equal(each.type, 'plain_text')
      t.notMatch(each.text, /[<>]|&(?!amp;|lt;|gt;)|\n/)
    }
  }
  t.end()
})

t.test('Discord: within the limits of embeds, nobody is mentioned, and there is no Markdown', t => {
  for (const notice of all) {
    const body = JSON.parse(bodyOf('discord', notice)) as RESTPostAPIWebhookWithTokenJSONBody
    t.same(body.allowed_mentions, { parse: [] })
    t.equal(body.content, undefined)
    const [embed, ...others] = body.embeds!
    t.same(others, [])
    const { title = '', description = '', fields = [] } = embed!
    t.ok(title.length >= 1 && title.length <= 256)
    t.ok(description.length >= 1 && description.length <= 4_096)
    t.ok(fields.length <= 25)
    for (const { name, value } of fields) {
      t.ok(name.length >= 1 && name.length <= 256)
      t.ok(value.length >= 1 && value.length <= 1_024)
    }
    const texts = [title, description, ...fields.flatMap(({ name, value }) => [name, value])]
    t.ok(texts.join('').length <= 6_000, `${texts.join('').length}`)
    for (const text of texts) {
      t.notMatch(text.replaceAll(/\\[^0-9A-Za-z\s]/g, ''), /[\\`*_~|<>[\]()#@:]/, text)
      t.notMatch(text, /(?:^|[^\\])(?:\\\\)*\\…/, 'an escape is not cut')
    }
    t.equal(new Date(embed!.timestamp!).toISOString(), embed!.timestamp)
  }
  t.end()
})

t.test('Teams: cards that the parser of Microsoft accepts, without Markdown and mentions', t => {
  for (const notice of all) {
    const text = bodyOf('teams', notice)
    t.ok(Buffer.byteLength(text) <= 28 * 1_024, `${Buffer.byteLength(text)} bytes`)
    const { type, attachments } = JSON.parse(text)
    t.equal(type, 'message')
    t.equal(attachments.length, 1)
    const [{ contentType, content }] = attachments
    t.equal(contentType, 'application/vnd.microsoft.card.adaptive')
    const card = new AdaptiveCards.AdaptiveCard()
    const context = new AdaptiveCards.SerializationContext()
    card.parse(content, context)
    t.equal(context.eventCount, 0, JSON.stringify(context.eventCount > 0 && context.getEventAt(0).message))
    t.same(card.validateProperties().validationEvents, [])
    t.equal(card.getItemCount(), content.body.length)
    t.equal(content.msteams, undefined)
    for (const block of content.body) {
      t.equal(block.type, 'RichTextBlock')
      for (const run of block.inlines) t.match(run, { type: 'TextRun', text: /\S/ })
    }
  }
  t.end()
})

t.test('JSON: less than 20 kB, with a type of Standard Webhooks', t => {
  for (const notice of all) {
    const text = bodyOf('json', notice)
    t.ok(text.length <= 20_000, `${text.length}`)
    const { type, timestamp, data, ...others } = JSON.parse(text)
    t.match(type, /^alert\.[a-z_]+$/)
    t.equal(new Date(timestamp).toISOString(), timestamp)
    t.same(others, {})
    t.match(data, { kind: String, severity: String, title: String, message: String })
  }
  t.end()
})

t.test('what people read', t => {
  const { blocks } = JSON.parse(bodyOf('slack', alertNotice(alertOf('demo'), null)))
  t.equal(blocks[0].text.text, 'Warning: API key "demo" has used 80% of its spend cap')
  t.same(
    blocks[2].fields.map(({ text }: { readonly text: string }) => text),
    ['Organization: acme', 'Level: key', 'Percent: 80', 'Spent (USD): 8', 'Cap (USD): 10'],
  )
  const digest = digestNotice({ from: 0, to: 60_000, counts: { cap: 3, provider: 1 } }, 120_000)
  t.equal(digest.title, '4 more alerts were left out')
  t.same(digest.facts, [
    ['cap', '3'],
    ['provider', '1'],
  ])
  t.equal(digestNotice({ from: 0, to: 0, counts: { cap: 1 } }, 0).title, '1 more alert was left out')
  for (const [fills, words] of [
    ['target', /the limit of an hour is reached. Further alerts are counted/],
    ['organizations', /Further ones of them are counted.*Alerts of the gateway still come\.$/],
    ['organization', /about this organization.*Further alerts of it are counted.*All others still come\.$/],
  ] as const)
    t.match(alertNotice(alertOf('demo'), fills).message, words)
  t.equal(alertNotice(alertOf('demo', { resolves: 'x' }), null).word, 'Resolved')
  t.end()
})

t.test('a text is cut between characters, and not within an escape', t => {
  t.equal(fittedText('abc', 3), 'abc')
  t.equal(fittedText('abcd', 3), 'ab…')
  t.equal(fittedText('\u{1F6A8}\u{1F6A8}', 3), '\u{1F6A8}…')
  t.equal(
    fittedText('&&', 9, text => text.replaceAll('&', '&amp;')),
    '&amp;…',
  )
  t.equal(fittedText(' a\n\tb ', 9), 'a b')
  t.equal(fittedText('', 9), '-')
  t.end()
})
