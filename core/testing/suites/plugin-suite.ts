import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contracts } from '../../framework/contract-versions.ts'
import type { PluginDefinition, PluginUse } from '../../framework/plugin.ts'
import { isObject, type JsonObject } from '../../foundation/json.ts'
import type { CallSuiteOptions } from '../call-stage.ts'
import { companionsOf } from '../companions.ts'
import { PluginStage } from '../plugin-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { stageOf } from './on-each-plugin.ts'

/** For `pluginSuite`. */
export type PluginSuiteOptions = CallSuiteOptions

/** Tests for every plugin, whatever it adds and provides. */
export function pluginSuite(t: SuiteContext, options: PluginSuiteOptions): void {
  t.test('is set up again and again, and in two gateways at once', async () => {
    await using first = await stageOf(options)
    await using second = await stageOf(options)
    const { name } = options.plugin().plugin
    const added = (stage: PluginStage): readonly string[] =>
      stage.contributions.filter(({ plugin }) => plugin.startsWith(name)).map(({ point, name: each }) => `${point} ${each}`)
    assert.deepEqual(added(second), added(first), 'the same options must add the same')
  })
  t.test('creates no files where a command only looks', async () => createsNothing(options))
  t.test('masks its secrets', async () => masksSecrets(options.plugin()))
  t.test('its name is that of a package, and its contracts are known', async () => isNamed(options.plugin().plugin))
}

async function createsNothing({ plugin, plugins }: PluginSuiteOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-look-'))
  try {
    const own = [plugin(), ...(plugins?.() ?? [])]
    await using _ = await PluginStage.open([...(await companionsOf(own)), ...own], { folder, lookOnly: true })
    assert.deepEqual(await readdir(folder), [], 'with `createFiles` false, no file may be created')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const secretName = /(?:^|_)(?:api_?key|secret|password|passphrase|private_?key)$|(?:ApiKey|Secret|Password|PrivateKey)$/i

async function masksSecrets({ plugin: { name, options }, options: given }: PluginUse): Promise<void> {
  for (const [option, schema] of Object.entries(options.properties)) {
    assert.ok(isObject(schema), `the option ${option} of ${name} must have a JSON Schema`)
    if ((schema['type'] === 'string' && secretName.test(option)) || hasPassword((given as JsonObject)[option]))
      assert.equal(schema['writeOnly'], true, `the option ${option} of ${name} holds a secret: set writeOnly, so that no output shows it`)
  }
}

/** An address with a password. */
function hasPassword(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).password !== ''
}

async function isNamed({ name, contracts: stated = {} }: PluginDefinition): Promise<void> {
  assert.match(name, /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/, `"${name}" cannot be the name of a package`)
  for (const [contract, version] of Object.entries(stated))
    assert.ok(
      contracts.some(each => each.name === contract && each.version === version),
      `there is no version ${version} of ${contract}`,
    )
}
