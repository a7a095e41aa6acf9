import t from 'tap'
import { optionFacts } from '../../../core/server/admin/facts.ts'

t.test('an address is shown without what may be secret in it, and a secret one not at all', async t => {
  const schema = { type: 'object', properties: { url: {}, hook: { writeOnly: true } } }
  const url = 'https://demo:hush-1@api.example.com/v1?token=hush-2&kind=hush-3'
  t.strictSame(
    optionFacts({ url, hook: url }, schema, () => ({ source: 'config' })),
    [
      { name: 'url', value: 'https://***@api.example.com/v1?token=***&kind=***', source: 'config' },
      { name: 'hook', value: '***', source: 'config' },
    ],
  )
})
