import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Sealer, type SealContext } from '../../../core/stores.ts'
import { sealerSuite } from '../../../core/testing/index.ts'
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

void t.test('the suite of sealers', async t =>
  sealerSuite(t, {
    open: async () => ({
      sealer: await sealer({ masterKey: firstKey }),
      other: await sealer({ masterKey: Buffer.from(firstKey, 'base64').toString('hex') }),
      stranger: await sealer({ masterKey: secondKey }),
    }),
  }),
)

t.test('an envelope adds 33 bytes', async t => {
  const local = await sealer({ masterKey: firstKey })
  for (const bytes of [text, Buffer.alloc(0), randomBytes(1_000_000)]) t.equal(local.seal(context, bytes).length, bytes.length + 33)
})

t.test('after a rotation old envelopes open and new ones are under the new key', async t => {
  const before = await sealer({ masterKey: firstKey })
  const after = await sealer({ masterKey: secondKey, previousKeys: [firstKey], macKey: firstKey })
  t.ok(Buffer.from(after.open(context, before.seal(context, text))!).equals(text))
  t.ok(after.open(context, after.seal(context, text)))
  t.equal(before.open(context, after.seal(context, text)), undefined)
  t.same(after.mac('api-key', 'tp_demo_secret'), before.mac('api-key', 'tp_demo_secret'), 'macKey keeps macs as they were')
})

t.test('a key is the same in hex as in base64', async t => {
  const mac = (await sealer({ masterKey: firstKey })).mac('api-key', 'tp_demo_secret')
  const hex = Buffer.from(firstKey, 'base64').toString('hex')
  t.same((await sealer({ masterKey: hex })).mac('api-key', 'tp_demo_secret'), mac)
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
