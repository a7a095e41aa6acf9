import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Sealer, type SealContext } from '../../../core/stores.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import { setUp } from '../../kit/set-up.ts'

type Options = Parameters<typeof localSealer>[0]

const context: SealContext = { org: 'example', purpose: 'reasoning', provider: 'acme', account: 'a1', model: 'one' }
const text = Buffer.from('a thought that nobody else may read')
const firstKey = randomBytes(32).toString('base64')
const secondKey = randomBytes(32).toString('hex')

async function sealer(options: Options): Promise<Sealer> {
  return (await setUp([localSealer(options)])).container.get(Sealer)
}

t.test('opens what it sealed, of any size', async t => {
  const local = await sealer({ masterKey: firstKey })
  for (const bytes of [text, Buffer.alloc(0), randomBytes(1_000_000)]) {
    const sealed = local.seal(context, bytes)
    t.equal(sealed.length, bytes.length + 33)
    t.ok(Buffer.from(local.open(context, sealed)!).equals(bytes))
  }
  t.ok(Buffer.from(local.open({ ...context }, new Uint8Array(local.seal(context, text)))!).equals(text), 'from plain bytes too')
  t.notOk(Buffer.from(local.seal(context, text)).includes('thought'))
  t.notSame(local.seal(context, text), local.seal(context, text), 'never the same twice')
})

t.test('opens under the same context only', async t => {
  const local = await sealer({ masterKey: firstKey })
  const sealed = local.seal(context, text)
  for (const member of ['org', 'purpose', 'provider', 'account', 'model'] as const) {
    t.equal(local.open({ ...context, [member]: 'other' }, sealed), undefined, member)
  }
  t.equal(local.open({ org: context.org, purpose: context.purpose }, sealed), undefined)
  const bare = local.seal({ org: 'example', purpose: 'reasoning', provider: 'a', account: 'b' }, text)
  t.equal(
    local.open({ org: 'example', purpose: 'reasoning', provider: 'a', model: 'b' }, bare),
    undefined,
    'members do not run into one another',
  )
  t.equal(local.open({ org: 'example', purpose: 'reasoning', provider: 'a","b' }, bare), undefined)
  t.ok(local.open({ org: 'example', purpose: 'reasoning', provider: 'a', account: 'b', model: undefined }, bare), 'undefined is absent')
})

t.test('opens nothing that was changed, cut or made up', async t => {
  const local = await sealer({ masterKey: firstKey })
  const sealed = local.seal(context, text)
  for (let index = 0; index < sealed.length; index++) {
    const changed = Uint8Array.from(sealed)
    changed[index]! ^= 1
    if (local.open(context, changed) !== undefined) t.fail(`a changed byte ${index} went unnoticed`)
  }
  for (let length = 0; length < sealed.length; length++) {
    if (local.open(context, sealed.subarray(0, length)) !== undefined) t.fail(`a cut to ${length} bytes went unnoticed`)
  }
  t.equal(local.open(context, Buffer.concat([sealed, Buffer.of(0)])), undefined)
  t.equal(local.open(context, randomBytes(100)), undefined)
  t.equal((await sealer({ masterKey: secondKey })).open(context, sealed), undefined, 'nor under another master key')
})

t.test('after a rotation old envelopes open and new ones are under the new key', async t => {
  const before = await sealer({ masterKey: firstKey })
  const after = await sealer({ masterKey: secondKey, previousKeys: [firstKey], macKey: firstKey })
  t.ok(Buffer.from(after.open(context, before.seal(context, text))!).equals(text))
  t.ok(after.open(context, after.seal(context, text)))
  t.equal(before.open(context, after.seal(context, text)), undefined)
  t.same(after.mac('api-key', 'tp_demo_secret'), before.mac('api-key', 'tp_demo_secret'), 'macKey keeps macs as they were')
})

t.test('macs depend on the key, the purpose and the text', async t => {
  const local = await sealer({ masterKey: firstKey })
  const mac = local.mac('api-key', 'tp_demo_secret')
  t.equal(mac.length, 32)
  t.same((await sealer({ masterKey: firstKey })).mac('api-key', 'tp_demo_secret'), mac)
  t.same(
    (await sealer({ masterKey: Buffer.from(firstKey, 'base64').toString('hex') })).mac('api-key', 'tp_demo_secret'),
    mac,
    'in hex as in base64',
  )
  t.notSame(local.mac('cache-key', 'tp_demo_secret'), mac)
  t.notSame(local.mac('api-key', 'tp_demo_secrets'), mac)
  t.notSame((await sealer({ masterKey: secondKey })).mac('api-key', 'tp_demo_secret'), mac)
})

t.test('without a key, one is made and kept for its owner alone', async t => {
  const keyFile = join(t.testdir({}), 'data', 'master.key')
  const sealed = (await sealer({ keyFile })).seal(context, text)
  t.equal(statSync(keyFile).mode & 0o777, 0o600)
  t.equal(Buffer.from(readFileSync(keyFile, 'utf8'), 'base64').length, 32)
  t.ok((await sealer({ keyFile })).open(context, sealed), 'and found again')
  t.ok((await sealer({ masterKey: readFileSync(keyFile, 'utf8').trim() })).open(context, sealed), 'and can move into the environment')
})

t.test('says what is wrong with a key, and never the key', async t => {
  const advice = 'Create one with: openssl rand -base64 32'
  await t.rejects(sealer({ masterKey: 'c2hvcnQ=' }), {
    message: `plugin local-sealer failed to set up: masterKey: expected 32 bytes as hex or base64, got 5 bytes. ${advice}`,
  })
  await t.rejects(sealer({ masterKey: 'correct horse battery staple' }), {
    message: `plugin local-sealer failed to set up: masterKey: expected 32 bytes as hex or base64, got other text. ${advice}`,
  })
  await t.rejects(sealer({ masterKey: firstKey, previousKeys: [secondKey, 'abc'] }), { message: /previousKeys\[1\]: expected 32 bytes/ })

  const keyFile = join(t.testdir({}), 'master.key')
  writeFileSync(keyFile, 'c2hvcnQ=\n', { mode: 0o600 })
  await t.rejects(sealer({ keyFile }), {
    message: new RegExp(`key file ${keyFile}: expected 32 bytes .* got 5 bytes. Restore the file from a backup`),
  })
  writeFileSync(keyFile, Buffer.from([0xff, 0x00, 0x10, 0x0a]))
  await t.rejects(sealer({ keyFile }), { message: /got other text\. Restore .* no other key decrypts the stored data/ })
  writeFileSync(keyFile, firstKey)
  chmodSync(keyFile, 0o644)
  await t.rejects(sealer({ keyFile }), {
    message: `plugin local-sealer failed to set up: key file ${keyFile} can be read by others (mode 644). Run: chmod 600 ${keyFile}`,
  })
  await t.rejects(sealer({ keyFile: join(keyFile, 'master.key') }), { message: /cannot be (read|written) \(ENOTDIR\)/ })
})
