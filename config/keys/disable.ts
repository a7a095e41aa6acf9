import { factsOf, findKey } from './facts.ts'
import { keysCommand, withKeys, type KeysOptions } from './keys-command.ts'

export const disable = change('disable', 'Refuse a key from now on. Its stored responses stay.', true)
export const enable = change('enable', 'Accept a disabled key again.', false)

function change(name: string, description: string, disabled: boolean): ReturnType<typeof keysCommand> {
  return keysCommand(name, description)
    .argument('<key>', 'The id of the key, or its name.')
    .action(async (wanted: string, options: KeysOptions) => {
      await withKeys(options, async gateway => {
        const key = await findKey(gateway, wanted)
        await gateway.keys.update(key.id, { disabled })
        console.log(options.json ? JSON.stringify(factsOf({ ...key, disabled }), null, 2) : `${key.id} (${key.name}) is ${name}d.`)
      })
    })
}
