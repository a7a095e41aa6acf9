import { readFileSync } from 'node:fs'
import t from 'tap'
import { LogSinks, type GenerationEvent, type JsonObject } from '../../../core/index.ts'
import { Finder } from '../../../plugins/guardrails/redaction/finder.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { adding, ask, said, stop, text, usage, witness } from '../../kit/stage.ts'
import { gateway } from '../../kit/gateway.ts'

/** A gateway whose key redacts, and a provider that answers with the last text that it got. */
async function stage(settings: JsonObject = {}, answer?: (input: string) => readonly GenerationEvent[]) {
  const acme = witness('acme', ({ request }) => {
    const last = request.input.at(-1) as { readonly content?: readonly { readonly text?: string }[] }
    const heard = last.content?.at(-1)?.text ?? ''
    return answer?.(heard) ?? [...Array.from(heard, text), usage(1, 1), stop]
  })
  const policy = { redaction: { value: true, settings }, logging: { value: true } }
  const under = await gateway({ plugins: [redaction({}), acme.plugin], key: { user: 'jane', policy } })
  t.teardown(under.stop)
  const sent = (): string => JSON.stringify(acme.calls.at(-1)!.request)
  return { under, acme, sent }
}

const found: Readonly<Record<string, readonly string[]>> = {
  EMAIL: [
    'jane.doe@example.com',
    'o’brien+tag@mail.example.co.uk',
    '用户@例子.example.com',
    'jаne@example.com',
    '"jane doe"@example.com',
    'JANE@EXAMPLE.MUSEUM',
  ],
  CARD: ['4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005', '4111  1111  1111  1111', '3782 822463 10005'],
  IBAN: ['DE89 3704 0044 0532 0130 00', 'GB82WEST12345698765432', 'nl91abna0417164300'],
  NATIONAL_ID: [
    '536-90-4399',
    'AB123456C',
    '36 574 261 809',
    '2 95 10 99 126 111 93',
    '54362315-K',
    'RCCMNL83S18D969H',
    '2341 2341 2346',
    '2341-2341-2346',
    '54.362.315-K',
    '529.982.247-25',
  ],
  PHONE: [
    '+1 (415) 555-2671',
    '+44 20 7946 0958',
    '020 7946 0958',
    '(415) 555-2671',
    '06 12 34 56 78',
    '+44 (0)20 7946 0958',
    '0049 30 123456',
    '1-800-356-9377',
  ],
  IP: ['192.0.2.17', '2001:db8::ff00:42:8329'],
  SECRET: [
    `ghp_${'a1B2c3D4e5F6'.repeat(3)}`,
    `sk-ant-api03-${'aB3'.repeat(20)}`,
    `AIza${'Sy1_'.repeat(8)}abc`,
    `tp_abcdef012345_${'0a1b2c3d'.repeat(6)}`,
  ],
}

t.test('nothing that is found reaches the provider, and the caller gets it back', async t => {
  const { under, sent } = await stage()
  for (const [label, values] of Object.entries(found))
    for (const value of values)
      for (const stream of [false, true]) {
        const input = `Write to (${value}), please. Again: ${value}.`
        const { status, response } = await ask(under, { model: 'acme/m', input, stream })
        t.equal(status, 200)
        t.notOk(sent().includes(value), `${label} ${value}`)
        t.ok(sent().includes(`Write to ([${label}_1]), please. Again: [${label}_1].`), `${label} ${value}: ${sent().slice(0, 300)}`)
        t.equal(said(response), input)
      }
})

t.test('similar-looking text is kept', async t => {
  const { under, sent } = await stage()
  for (const input of [
    'order 4111111111111112',
    'version 1.2.3',
    'ISBN 978-3-16-148410-0',
    '2026-11-22 12:30:45',
    'user@localhost',
    'image@2x.png',
    'name@1.2.3-beta.next',
    '0.4111111111111111',
    'at 12:30:45.123456',
    '20261122 a las 10',
    'version 10.20.30.40',
    'add::face, std::dec',
    'born on 24/05/1980',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    'DE89 3704 0044 0532 0130 01',
    'a[0] + b[1] == c::d',
    'invoice 20261122, total 1,234,567.89',
    'sha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'sha a4111111111111111b',
    'f47ac10b-4111-4111-8111-1111abcdefab',
    '4111,1111,1111,1111',
    '4111\n1111\n1111\n1111',
    '411111 / 8224633782',
    '536.90.4399',
    '536 90 4399',
    'ssn 1.536.90.4399',
    'DE89.3704.0044.0532.0130.01',
    'thanks @jane.doe',
    'read on @example.com',
    'up_proj @ w.to(device)',
    'a.b @dataclass.fields',
    '2 ** @example.com',
  ]) {
    await ask(under, { model: 'acme/m', input })
    t.ok(sent().includes(JSON.stringify(input)), `${input}: ${sent()}`)
  }
})

t.test('other separators, marks and letters do not hide cards, numbers and addresses', async t => {
  const { under, sent } = await stage()
  for (const [input, expected] of [
    ['card 4111/1111/1111/1111.', 'card [CARD_1].'],
    ['card 4111_1111_1111_1111.', 'card [CARD_1].'],
    ['card_4111111111111111_valid', 'card_[CARD_1]_valid'],
    ['x4111111111111111y', 'x[CARD_1]y'],
    ['VISA4111 1111 1111 1111EXP', 'VISA[CARD_1]EXP'],
    ['card 4111 1111\n1111 1111, please', 'card [CARD_1], please'],
    ['card 4111-1111-\n1111-1111, please', 'card [CARD_1], please'],
    ['card 4111-1111\r\n1111-1111, please', 'card [CARD_1], please'],
    ['3782 \n 822463 10005', '[CARD_1]'],
    ['card 4111\n1111 1111 1111, please', 'card [CARD_1], please'],
    ['card 4111 / 1111 / 1111 / 1111, please', 'card [CARD_1], please'],
    ['to **jane.doe**@example.com, please', 'to [EMAIL_1], please'],
    ['to jane.doe@**example.com**, please', 'to [EMAIL_1], please'],
    ['to `jane`@example.com, please', 'to [EMAIL_1], please'],
    ['pay to DE89.3704.0044.0532.0130.00. Thanks', 'pay to [IBAN_1]. Thanks'],
    ['pay to GB82.WEST.1234.5698.7654.32, please', 'pay to [IBAN_1], please'],
    ['my ssn is 536 90 4399.', 'my ssn is [NATIONAL_ID_1].'],
    ['social security number: 536.90.4399.', 'social security number: [NATIONAL_ID_1].'],
    ['to jane.**doe**@example.com, please', 'to [EMAIL_1], please'],
    ['to **jane**.doe@example.com, please', 'to [EMAIL_1], please'],
    ['to jane.doe@**example**.com, please', 'to [EMAIL_1], please'],
    ['to jane.doe@mail.example.**com**, please', 'to [EMAIL_1], please'],
    ['to jane.doe @example.com, please', 'to [EMAIL_1], please'],
    ['to jane.doe@ example.com, please', 'to [EMAIL_1], please'],
    ['to jane.doe @ example.co.uk, please', 'to [EMAIL_1], please'],
  ] as const) {
    const { response } = await ask(under, { model: 'acme/m', input })
    t.ok(sent().includes(JSON.stringify(expected)), `${JSON.stringify(input)}: ${sent()}`)
    t.equal(said(response), input)
  }
})

t.test('a line may end after any group of a card', async t => {
  const finder = new Finder({ detectors: ['card'] })
  for (const groups of [
    ['4111', '1111', '1111', '1111'],
    ['3782', '822463', '10005'],
  ])
    for (const separator of [' ', '.', '-', '/', '_', ' . ', ' - ', ' / ', ' _ '])
      for (let after = 1; after < groups.length; after++)
        for (const left of new Set(['', ' ', separator, separator.trimEnd()]))
          for (const newline of ['\n', '\r\n'])
            for (const indentation of ['', '  ', '\t']) {
              const lines = [groups.slice(0, after), groups.slice(after)].map(line => line.join(separator))
              const card = lines.join(`${left}${newline}${indentation}`)
              t.same(await finder.find(`to ${card}, please`), [{ label: 'CARD', start: 3, end: 3 + card.length }], JSON.stringify(card))
            }
})

t.test('marks inside an address do not hide a part of it', async t => {
  const finder = new Finder({ detectors: ['email'] })
  for (const form of [
    'jane.#doe#@example.com',
    'jane.doe#@#example.com',
    'j#ane#.doe@example.com',
    '#jane#.doe@example.com',
    '#jane.#doe@example.com',
    '#j#ane.#doe#@example.com',
    'jane.#doe@example#.com',
    'jane.#doe@example.com#',
    '#jane.doe@example#.com',
    'jane.doe@#example#.com',
    'jane.doe@#example.com#',
    'jane.doe@#example#.co.uk',
    'jane.doe@mail.#example#.com',
    'jane.doe@mail.example.#com#',
    'jane.doe@example.#com#',
    'jane.doe@acme.co.#uk#',
    'jane.doe@ex#amp#le.com',
    'jane.doe@mail.ex#amp#le.com',
    '#jane#@#example#.#com#',
    '#jane.doe#@#example#.com',
    'jane.#doe@example.com#',
    'jane.#doe#%40example.com',
    'jane.#doe@example.com',
    '用#户#@例子.example.com',
  ])
    for (const mark of ['*', '**', '***', '~', '~~', '`']) {
      const address = form.replaceAll('#', mark)
      t.same(await finder.find(`to ${address}, please`), [{ label: 'EMAIL', start: 3, end: 3 + address.length }], address)
    }
  for (const address of [
    'jane@_example_.com',
    'jane@__example.com__',
    '_jane_.doe@mail.example._com_',
    'jane.doe@_example_.**com**',
    String.raw`jane\_doe@example.com`,
  ])
    t.same(await finder.find(`to ${address}, please`), [{ label: 'EMAIL', start: 3, end: 3 + address.length }], address)
})

t.test('marks around and next to an address are no part of it', async t => {
  const finder = new Finder({ detectors: ['email'] })
  for (const text of [
    '**<jane@example.com>**',
    '*<jane@example.com>',
    '**To:**<jane@example.com>',
    '**To**: <jane@example.com>*',
    '* <jane@example.com>\n* more',
    '`<jane@example.com>`',
    '**<jane@example.com>.**Then',
    '<jane@example.com>.**Note** that',
    '<jane@example.com>*, **or',
    '联系**<jane@example.com>**谢谢',
  ]) {
    const start = text.indexOf('<')
    const end = text.indexOf('>') - 1
    t.same(await finder.find(text.replace(/[<>]/g, '')), [{ label: 'EMAIL', start, end }], text)
  }
  for (const mark of ['*', '**', '`', '~'])
    t.same(
      (await finder.find(`jane@example.com${mark}joe@example.org`)).map(({ end }) => end),
      [16, 31 + mark.length],
      `two with ${mark} between`,
    )
  for (const text of ['a*b@c', '3*a@b*c.shape', 'w@_b.data', 'x@y*.shape', '*@example.com', '**@*.example.com', 'a@*.example.com', 'a@*.*'])
    t.same(await finder.find(text), [], text)
})

t.test('every text of a request is searched', async t => {
  const { under, sent } = await stage({ unreadable: 'pass' })
  const mail = 'jane.doe@example.com'
  const file = (content: string) => `data:text/plain;base64,${Buffer.from(content).toString('base64')}`
  const { status } = await ask(under, {
    model: 'acme/m',
    instructions: `You work for ${mail}`,
    metadata: { from: mail },
    input: [
      { role: 'developer', content: mail },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: mail },
          { type: 'input_file', filename: 'a.txt', file_data: file(`mail ${mail}`) },
        ],
      },
      { role: 'assistant', content: [{ type: 'output_text', text: mail }] },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: `{"to":"jane.doe\\u0040example.com","${mail}":1}` },
      { type: 'function_call_output', call_id: 'call_1', output: JSON.stringify({ nested: JSON.stringify({ mail }) }) },
      { role: 'user', content: 'and now?' },
    ],
    tools: [
      {
        type: 'function',
        name: 'look',
        description: mail,
        parameters: { type: 'object', properties: { to: { type: 'string', default: mail } } },
      },
    ],
    text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object', description: mail } } },
  })
  t.equal(status, 200)
  t.notMatch(sent(), /jane\.doe|example\.com/)
  t.notOk(sent().includes(Buffer.from(mail).toString('base64').slice(0, 12)))
  t.ok(sent().includes(file('mail [EMAIL_1]')))
})

t.test('numbers in JSON are searched, and the rest of the document stays as it was written', async t => {
  const { under, sent } = await stage({ deny: ['5551234'] })
  const output = '{"id":12345678901234567890, "v":1.10,"mail":"a@example.com","card":4111111111111111,"e":1e400,"z":-0,"v":2,"n":5551234}'
  const { status } = await ask(under, {
    model: 'acme/m',
    input: [
      { role: 'user', content: 'look' },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"n": 4111111111111111}' },
      { type: 'function_call_output', call_id: 'call_1', output },
      { role: 'user', content: 'and?' },
    ],
  })
  t.equal(status, 200)
  const expected = '{"id":12345678901234567890, "v":1.10,"mail":"[EMAIL_1]","card":"[CARD_1]","e":1e400,"z":-0,"v":2,"n":"[DENIED_1]"}'
  t.ok(sent().includes(JSON.stringify(expected)), sent())
  t.ok(sent().includes(JSON.stringify('{"n": "[CARD_1]"}')))
})

t.test('the name of a member tells what its value is', async t => {
  const { under, sent } = await stage()
  const facts = { phone: '4155552671', ssn: '536904399', api_key: 'f'.repeat(12) + '0123456789abcdef', password: 'demo-55!' }
  const { status } = await ask(under, {
    model: 'acme/m',
    input: [
      { role: 'user', content: 'look' },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: JSON.stringify(facts) },
      { type: 'function_call_output', call_id: 'call_1', output: JSON.stringify([{ deep: facts }]) },
      { role: 'user', content: 'and?' },
    ],
    tools: [{ type: 'function', name: 'look', parameters: { type: 'object', default: facts } }],
  })
  t.equal(status, 200)
  for (const value of Object.values(facts)) t.notOk(sent().includes(value), `${value}: ${sent()}`)
  t.match(sent(), 'PHONE_1')
})

t.test('files that are not UTF-8 cannot be read', async t => {
  const text = 'card 4111 1111 1111 1111'
  const data = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`
  for (const file_data of [
    data('text/plain', Buffer.from(text, 'utf16le')),
    data('text/plain;charset=utf-16', Buffer.from(text, 'utf16le')),
    data('text/plain', Buffer.from('café', 'latin1')),
    data('text/plain;charset=utf-7', Buffer.from(text)),
  ]) {
    const { under, acme } = await stage()
    const part = { type: 'input_file', filename: 'a.txt', file_data }
    t.equal((await ask(under, { model: 'acme/m', input: [{ role: 'user', content: [part] }] })).status, 400, file_data)
    t.equal(acme.calls.length, 0)
  }
})

t.test('text files are searched in every form of their data', async t => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const content = 'mail jane.doe@example.com'
  const url = `data:text/plain;base64,${base64('mail [EMAIL_1]')}`
  for (const [filename, file_data, expected] of [
    ['a.csv', base64(content), base64('mail [EMAIL_1]')],
    ['a.txt', `DATA:text/plain;BASE64,${base64(content)}`, url.replace('data', 'DATA')],
    ['a.txt', `data:text/plain;charset=utf-8;base64,${base64(content)}`, url.replace(';', ';charset=utf-8;')],
    ['a.txt', 'data:text/plain,mail%20jane.doe%40example.com', url],
    ['a.txt', 'data:,mail jane.doe@example.com', `data:;base64,${base64('mail [EMAIL_1]')}`],
  ] as const) {
    const { under, sent } = await stage()
    const part = { type: 'input_file', filename, file_data }
    t.equal((await ask(under, { model: 'acme/m', input: [{ role: 'user', content: [part] }] })).status, 200, file_data)
    t.ok(sent().includes(JSON.stringify(expected)), sent())
    t.notOk(sent().includes(JSON.stringify(file_data)))
  }
})

t.test('data that decoders read differently cannot be read', async t => {
  const file_datas = ['data:text/plain', 'data:text/plain,%zz', `${Buffer.from('a').toString('base64')}amFuZQ==`, 'bWFp%3DbA==']
  for (const file_data of file_datas) {
    const { under, acme } = await stage()
    const part = { type: 'input_file', filename: 'a.txt', file_data }
    const refused = await ask(under, { model: 'acme/m', input: [{ role: 'user', content: [part] }] })
    t.match(refused.error.message, /file_data cannot be searched/, file_data)
    t.equal(acme.calls.length, 0)
  }
})

t.test('text that begins like a data URL is text', async t => {
  const { under, sent } = await stage()
  for (const text of ['Data: jane.doe@example.com', 'data:text/plain,jane.doe@example.com', 'data: {"a":1}\n\n']) {
    const output = { type: 'function_call_output', call_id: 'call_1', output: text }
    const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
    t.equal((await ask(under, { model: 'acme/m', input: [{ role: 'user', content: text }, call, output] })).status, 200, text)
    t.notMatch(sent(), /jane\.doe/)
  }
})

t.test('secrets go as a whole', async t => {
  const { under, sent } = await stage()
  const aws = `wJalrXUtnFEMI/K7MDENG/${'bPxRfiCYqR7tYkLm3Z'}`
  const body = 'MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49'
  for (const secret of [aws, body, 'demo-password'])
    for (const input of {
      [aws]: [`aws_secret_access_key = ${aws}`, `export AWS_SECRET_ACCESS_KEY="${aws}"`],
      [body]: [`-----BEGIN EC PRIVATE KEY-----\n${body}\n-----END EC PRIVATE KEY-----`, `> -----BEGIN PRIVATE KEY-----\n> ${body}`],
      'demo-password': ['redis://:demo-password@db.example.com:6379', 'postgres://me:demo-password@db.example.com/x'],
    }[secret]!) {
      await ask(under, { model: 'acme/m', input })
      t.notOk(sent().includes(secret.slice(-16)), sent())
    }
})

t.test('other spaces, hyphens and digits do not hide anything', async t => {
  const { under, sent } = await stage()
  for (const input of [
    '4111\u00a01111\u00a01111\u00a01111',
    '4111\u202f1111\u202f1111\u202f1111',
    '536\u201190\u20114399',
    '\uff14111111111111111',
  ]) {
    const { response } = await ask(under, { model: 'acme/m', input })
    t.notOk(sent().includes(input))
    t.equal(said(response), input)
  }
})

t.test('invisible characters and other spellings hide nothing', async t => {
  const { under, sent } = await stage()
  const card = '4111111111111111'
  const written: Readonly<Record<string, string>> = {
    'zero-width spaces': [...card].join('\u200b'),
    tags: [...card].join('\u{e0061}'),
    selectors: card.replace('1', '1\u{e0100}'),
    'soft hyphens': card.replaceAll('11', '1\u00ad1'),
    'marks of direction': `\u202a+1 415 555 2671\u202c`,
    'right to left': `\u200f+972 50 234 5678\u200f`,
    'full-width digits': '４１１１－１１１１－１１１１－１１１１',
    'a full-width address': 'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ',
    'Arabic digits': '٤١١١١١١١١١١١١١١١',
    'Devanagari digits': '४१११ ११११ ११११ ११११',
    'a word joiner in an address': 'jane\u2060@exam\u200bple.com',
    'an address in a URL': 'https://example.net/?to=jane%40example.com',
    'an address in HTML': 'jane&#64;example.com',
    'an address with an escape': 'jane\\u0040example.com',
    'no spaces around': '请联系jane@example.com或+8613812345678谢谢',
    'emoji around': '🙂jane@example.com🙂',
    'a byte order mark': `\ufeff${card}`,
  }
  for (const [what, input] of Object.entries(written)) {
    const { response } = await ask(under, { model: 'acme/m', input })
    t.match(sent(), /\[(?:CARD|PHONE|EMAIL)_1\]/, what)
    t.notMatch(sent(), /1{4}|１{4}|١{4}|१{4}|5671|jane|ｊａｎｅ|138123/, `${what}: ${sent()}`)
    t.equal(said(response), input, what)
  }
})

t.test('only the exact placeholder is restored', async t => {
  const altered = [
    '[email_1]',
    '[ EMAIL_1 ]',
    'EMAIL_1',
    '[EMAIL 1]',
    '[EMAIL_01]',
    '［EMAIL_1］',
    '[EMAIL_1',
    '[EMAIL_2]',
    '[EMAIL_1_1]',
    '%5BEMAIL_1%5D',
  ]
  const { under } = await stage({}, () => [...Array.from(`${altered.join(' ')} [EMAIL_1]`, text), usage(1, 1), stop])
  for (const stream of [false, true]) {
    const { response } = await ask(under, { model: 'acme/m', input: 'a@example.com', stream })
    t.equal(said(response), `${altered.join(' ')} a@example.com`)
  }
})

t.test('ten thousand values', async t => {
  const { under, sent } = await stage({}, heard => [text(heard.slice(0, 50_000)), text(heard.slice(50_000)), usage(1, 1), stop])
  const input = Array.from({ length: 10_000 }, (_, index) => `user${index}@example.com`).join('\n')
  const { response } = await ask(under, { model: 'acme/m', input, stream: true })
  t.notMatch(sent(), 'example.com')
  t.match(sent(), '[EMAIL_10000]')
  t.equal(said(response), input)
})

t.test('a refused stream is an error, and nothing is sent', async t => {
  const { under, acme } = await stage({ replacement: 'refuse' })
  const { status, error } = await ask(under, { model: 'acme/m', input: 'a@example.com', stream: true })
  t.equal(status, 400)
  t.equal(error.code, 'invalid_prompt')
  t.notMatch(JSON.stringify(error), 'example.com')
  t.equal(acme.calls.length, 0)
})

t.test('denied words, however they are written', async t => {
  const words = ['Jane Döe', 'İstanbul', 'ΣΟΦΟΣ', 'x', 'Anna', 'Annabelle', 'co\u2011op']
  const { under, sent } = await stage({ detectors: [], deny: words })
  for (const [input, expected] of [
    ['JANE DÖE', '[DENIED_1]'],
    ['jane\u00a0do\u0308e', '[DENIED_1]'],
    ['in istanbul', 'in [DENIED_1]'],
    ['σοφος', '[DENIED_1]'],
    ['a x b', 'a [DENIED_1] b'],
    ['annabelle, anna', '[DENIED_1], [DENIED_2]'],
    ['the co-op', 'the [DENIED_1]'],
    ['Jane Do', 'Jane Do'],
  ]) {
    await ask(under, { model: 'acme/m', input: input! })
    t.ok(sent().includes(JSON.stringify(expected)), `${input}: ${sent()}`)
  }
})

t.test('an escape before an address is not a part of it', async t => {
  const { under, sent } = await stage()
  await ask(under, { model: 'acme/m', input: String.raw`a\nbob@example.com bob@example.com` })
  t.ok(sent().includes(JSON.stringify(String.raw`a\n[EMAIL_1] [EMAIL_1]`)), sent())
})

t.test('the record does not hold the settings', async t => {
  const { under } = await stage({ deny: ['demo-word'] })
  const { requestId } = await ask(under, { model: 'acme/m', input: 'hi' })
  t.same((await under.record(requestId)).policy!.redaction, { value: true, source: 'key' })
})

t.test('equal values have one placeholder, different ones have different ones', async t => {
  const { under, sent } = await stage()
  await ask(under, { model: 'acme/m', input: 'a@example.com, b@example.com, a@example.com' })
  t.match(sent(), '[EMAIL_1], [EMAIL_2], [EMAIL_1]')
})

t.test('text that looks like a placeholder is never restored', async t => {
  const { under, sent } = await stage()
  const { response } = await ask(under, { model: 'acme/m', input: 'literally [EMAIL_1], then a@example.com' })
  t.match(sent(), 'literally [EMAIL_1], then [EMAIL_2]')
  t.equal(said(response), 'literally [EMAIL_1], then a@example.com')
})

t.test('text that looks like an earlier placeholder gets one of its own', async t => {
  const { under, sent } = await stage()
  const { response } = await ask(under, { model: 'acme/m', input: 'a@example.com, then literally [EMAIL_1], [EMAIL_2] and [EMAIL_3]' })
  t.match(sent(), '[EMAIL_1], then literally [EMAIL_2], [EMAIL_3] and [EMAIL_4]')
  t.equal(said(response), 'a@example.com, then literally [EMAIL_1], [EMAIL_2] and [EMAIL_3]')
})

t.test('if nothing is restored, text that looks like a placeholder stays', async t => {
  const { under, sent } = await stage({ restore: false })
  await ask(under, { model: 'acme/m', input: 'a@example.com, so [EMAIL_1]' })
  t.match(sent(), '[EMAIL_1], so [EMAIL_1]')
})

t.test('placeholders are restored over any chunking, and in arguments as valid JSON', async t => {
  const settings = { custom: [{ name: 'quoted', pattern: 'secret "[a-z]+"' }] }
  const value = 'secret "words"'
  for (const length of [1, 2, 3, 5, 11, 100]) {
    const answer = `first [QUOTED_1] [QUOTED_9] [[QUOTED_1]] [QUOTED`
    const call = JSON.stringify({ note: '[QUOTED_1]!' })
    const pieces = (whole: string) =>
      Array.from({ length: Math.ceil(whole.length / length) }, (_, index) => whole.slice(index * length, (index + 1) * length))
    const { under } = await stage(settings, () => [
      ...pieces(answer).map(text),
      { type: 'tool-call', key: 'c', name: 'look' },
      ...pieces(call).map((piece): GenerationEvent => ({ type: 'tool-input', key: 'c', text: piece })),
      usage(1, 1),
      { type: 'finish', reason: 'tool-calls' } as GenerationEvent,
    ])
    for (const stream of [false, true]) {
      const { response } = await ask(under, {
        model: 'acme/m',
        input: `it is ${value}`,
        stream,
        tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }],
      })
      t.equal(said(response), `first ${value} [QUOTED_9] [${value}] [QUOTED`)
      t.same(JSON.parse((response.output[1] as { arguments: string }).arguments), { note: `${value}!` })
    }
  }
})

t.test('a chain gives the model placeholders and the caller the values', async t => {
  const { under, sent } = await stage()
  const first = await ask(under, { model: 'acme/m', input: 'I am a@example.com' })
  const second = await ask(under, { model: 'acme/m', input: 'b@example.com is my friend', previous_response_id: first.response.id })
  t.notMatch(sent(), 'example.com')
  t.equal(sent().split('I am [EMAIL_1]').length, 3, 'as the caller said, and as the model did')
  t.equal(said(second.response), 'b@example.com is my friend')
})

t.test('placeholders keep their numbers while a conversation grows', async t => {
  const { under, sent } = await stage()
  const rest = {
    model: 'acme/m',
    instructions: 'You work for boss@example.com',
    tools: [{ type: 'function', name: 'look', description: 'help@example.com' }],
  }
  const input = [{ role: 'user', content: 'I am a@example.com' }]
  await ask(under, { ...rest, input })
  const first = JSON.parse(sent())
  await ask(under, { ...rest, input: [...input, { role: 'user', content: 'b@example.com is my friend' }] })
  const second = JSON.parse(sent())
  t.same(second.instructions, first.instructions)
  t.same(second.tools, first.tools)
  t.same(second.input[0], first.input[0])
  t.match(JSON.stringify(second.input[1]), '[EMAIL_4] is my friend')
})

t.test('names of models are not taken for personal data', async t => {
  const models = JSON.parse(readFileSync(new URL('../../../plugins/catalogs/bundled/models.json', import.meta.url), 'utf8'))
  const names = new Set(JSON.stringify(models).match(/(?<=")[\w./:@-]{3,100}(?=")/g))
  t.ok(names.size > 500)
  const found = await new Finder({}).find([...names].join('\n'))
  t.same(found, [])
})

t.test('the settings of a key', async t => {
  const of = async (settings: JsonObject, input: string) => {
    const { under, sent, acme } = await stage(settings)
    const answer = await ask(under, { model: 'acme/m', input })
    return { answer, sent: acme.calls.length > 0 ? sent() : undefined }
  }
  t.match((await of({ detectors: ['ip'] }, 'a@example.com 192.0.2.1')).sent, 'a@example.com [IP_1]')
  t.match((await of({ allow: ['a@example.com'] }, 'a@example.com b@example.com')).sent, 'a@example.com [EMAIL_1]')
  t.match((await of({ deny: ['Project X'] }, 'about project x today')).sent, 'about [DENIED_1] today')
  t.match((await of({ replacement: 'mask' }, 'to a@example.com')).sent, 'to ****')
  const masked = await of({ replacement: 'mask' }, 'to a@example.com')
  t.equal(said(masked.answer.response), 'to ****')
  const kept = await of({ restore: false }, 'to a@example.com')
  t.equal(said(kept.answer.response), 'to [EMAIL_1]')
  const refused = await of({ replacement: 'refuse' }, 'to a@example.com')
  t.equal(refused.answer.status, 400)
  t.match(refused.answer.error, { code: 'invalid_prompt', param: 'input[0].content[0].text' })
  t.match(refused.answer.error.message, /email/)
  t.notMatch(refused.answer.error.message, /example\.com/)
  t.equal(refused.sent, undefined)
  t.match(
    (await of({ detectors: ['birth_date', 'person'] }, 'My name is Jane van Dyke, born 24 May 1980.')).sent,
    'My name is [PERSON_1], born [BIRTH_DATE_1].',
  )
})

t.test('settings in the store that cannot be used refuse requests, and the message blames them', async t => {
  for (const [settings, member] of [
    [{ detectors: ['everything'] }, 'detectors[0]'],
    [{ custom: [{ name: 'word', pattern: '(?=secret-word)b' }] }, 'custom[0].pattern'],
    [{ custom: [{ name: 'x', pattern: 'a*' }] }, 'custom[0].pattern'],
    [{ unknown: 1 }, 'unknown'],
  ] as [JsonObject, string][]) {
    const { under, acme } = await stage(settings)
    for (const stream of [false, true]) {
      const { status, error } = await ask(under, { model: 'acme/m', input: 'hi', stream })
      t.equal(status, 422)
      t.match(error.message, `(set by the key) cannot be used: "${member}" is wrong. Requests are refused until they are changed.`)
    }
    t.equal(acme.calls.length, 0)
    t.match(under.logs.join(), /the redaction settings of a policy cannot be used/)
  }
})

t.test('unreadable content is refused, unless the settings let it pass', async t => {
  const parts = [
    { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
  ]
  for (const part of parts) {
    const request = { model: 'acme/m', input: [{ role: 'user', content: [part] }] }
    const strict = await stage()
    const refused = await ask(strict.under, request)
    t.equal(refused.status, 400)
    t.match(refused.error.message, /^input\[0\]\.content\[0\]\..* cannot be searched/)
    const lenient = await stage({ unreadable: 'pass' })
    t.equal((await ask(lenient.under, request)).status, 200)
  }
})

t.test('names and addresses with personal data are refused, since they cannot be replaced', async t => {
  const { under, acme } = await stage({ unreadable: 'pass' })
  const image = { type: 'input_image', image_url: 'https://media.example.com/?user=a%40example.com' }
  const { status, error } = await ask(under, { model: 'acme/m', input: [{ role: 'user', content: [image] }] })
  t.equal(status, 400)
  t.match(error.message, /input\[0\]\.content\[0\]\.image_url contains personal data \(email\)/)
  t.equal(acme.calls.length, 0)
  const routing = { model: { fallbacks: ['acme/jane@example.com'] } }
  t.match((await ask(under, { model: 'acme/m', routing })).error, { param: 'routing.model.fallbacks[0]' })
  t.match((await ask(under, { model: 'acme/jane@example.com' })).error, { param: 'model' })
  t.equal(acme.calls.length, 0)
})

t.test('values and their placeholders are kept with the content, and nowhere else', async t => {
  const { under } = await stage()
  const { requestId } = await ask(under, { model: 'acme/m', input: 'a@example.com 192.0.2.1' })
  const record = await under.record(requestId)
  t.same(record.kept, {
    redaction: { found: { email: 1, ip: 1 }, placeholders: { '[EMAIL_1]': 'a@example.com', '[IP_1]': '192.0.2.1' } },
  })
  const { request: _, response: __, kept: ___, ...facts } = record
  t.notMatch(JSON.stringify(facts), /example\.com|192\.0|email/)
  const seen: unknown[] = []
  const policy = { redaction: { value: true }, logging: { value: true } }
  const metadata = adding(LogSinks, {
    name: 'facts',
    accepts: 'metadata',
    async write(batch) {
      seen.push(...batch)
    },
  })
  for (const logging of [true, false]) {
    const acme = witness('acme', () => [text('[EMAIL_1]'), stop])
    const other = await gateway({
      plugins: [redaction({}), acme.plugin, metadata],
      key: { name: 'demo', policy: { ...policy, logging: { value: logging } } },
    })
    const answer = await ask(other, { model: 'acme/m', input: 'a@example.com' })
    const record = await other.record(answer.requestId)
    t.equal(record.kept !== undefined, logging)
    if (!logging) t.notMatch(JSON.stringify(record), /example\.com|email/, 'not even how often it was found')
    await other.stop()
  }
  t.equal(seen.length, 2)
  t.notMatch(JSON.stringify(seen), /example\.com|email/)
})

t.test('each finding is counted, whatever replaces it', async t => {
  for (const replacement of ['placeholder', 'mask']) {
    const { under } = await stage({ replacement })
    const { requestId } = await ask(under, { model: 'acme/m', input: 'a@example.com a@example.com 192.0.2.1' })
    const { kept, notes } = await under.record(requestId)
    t.match(kept?.['redaction'], { found: { email: 2, ip: 1 } })
    t.same(notes, [])
  }
})
