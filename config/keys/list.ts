import type { ApiKey } from '../../core/index.ts'
import { table } from '../table.ts'
import { factsOf } from './facts.ts'
import { keysCommand, withKeys, type KeysOptions } from './keys-command.ts'

export default keysCommand('list', 'List API keys, the oldest first.').action(listKeys)

async function listKeys(options: KeysOptions): Promise<void> {
  await withKeys(options, async ({ keys }) => {
    const all = await keys.list()
    if (options.json) console.log(JSON.stringify(all.map(factsOf), null, 2))
    else if (all.length === 0) console.log('There are no keys. Create one with: turnpike keys create')
    else console.log(table(['ID', 'NAME', 'OWNER', 'STATUS', 'CREATED'], all.map(row)))
  })
}

function row({ id, name, org, team, user, disabled, createdAt }: ApiKey): readonly string[] {
  const owner = [org, team, user].filter(part => part !== undefined).join('/')
  return [id, name, owner, disabled ? 'disabled' : 'active', new Date(createdAt).toISOString().slice(0, 10)]
}
