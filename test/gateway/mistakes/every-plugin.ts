import { definePlugin, Providers } from '../../../core/index.ts'
import { acme, adds, run, type Mistake } from './stage.ts'

const options = { type: 'object', additionalProperties: false, properties: { apiKey: { type: 'string' } } } as const
const keyed = definePlugin({ name: 'acme', options, setup: run })

/** Those in the definition of a plugin, of whatever kind. */
export const everyPlugin: readonly Mistake[] = [
  {
    kind: 'every plugin',
    mistake: 'an option in other letters',
    plugins: () => [keyed({ apikey: 'demo' } as object)],
    sentence: 'plugin acme has bad options: unknown option apikey; did you mean apiKey?',
  },
  {
    kind: 'every plugin',
    mistake: 'a name with spaces',
    plugins: () => [acme(run, { name: 'Acme Chat' })],
    sentence: 'plugin #1 in `plugins` has a bad `name`: expected one such as acme-chat or @acme/turnpike-chat, got "Acme Chat"',
  },
  {
    kind: 'every plugin',
    mistake: 'two plugins with one name',
    plugins: () => [acme(run), acme(run)],
    sentence: 'plugin acme has the same name as another plugin. Rename one of them',
  },
  {
    kind: 'every plugin',
    mistake: '`gateway.add(contribution, Providers)`',
    plugins: adds({ id: 'acme', generate: run }, Providers),
    sentence: 'plugin acme adds to an object, which is not an extension point. Name it first: gateway.add(Providers, …)',
  },
  {
    kind: 'every plugin',
    mistake: 'a class in the place of an object',
    plugins: adds(Providers, class Acme {}),
    sentence: 'plugin acme adds a provider: expected an object, got a function. Make one of the class: new Acme(…)',
  },
]
