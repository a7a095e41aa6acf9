import { table } from '../table.ts'
import { factsOf, findKey } from './facts.ts'
import { keysCommand, withKeys, type KeysOptions } from './keys-command.ts'

export default keysCommand('show', 'Show what a key may do. The key itself is not stored and cannot be shown.')
  .argument('<key>', 'The id of the key, or its name.')
  .action(showKey)

async function showKey(wanted: string, options: KeysOptions): Promise<void> {
  await withKeys(options, async gateway => {
    const facts = factsOf(await findKey(gateway, wanted))
    console.log(options.json ? JSON.stringify(facts, null, 2) : table(undefined, Object.entries(facts).map(row)))
  })
}

function row([name, value]: readonly [string, unknown]): readonly string[] {
  return [name, typeof value === 'string' ? value : value === null ? '-' : JSON.stringify(value)]
}
