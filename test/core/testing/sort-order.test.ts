import t from 'tap'
import { Clock, definePlugin, SortStrategies } from '../../../core/index.ts'
import { sortOrder } from '../../../core/testing/index.ts'

const weighed = definePlugin({
  name: 'acme-weighed-sort',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 1, default: 'weighed', description: 'The value of `sort`.' },
      weight: { type: 'number', minimum: 0, default: 2, description: 'How much a dollar counts.' },
    },
  },
  setup(gateway, { name, weight }) {
    gateway.add(SortStrategies, {
      name,
      description: 'The weighed cost, least first.',
      first: 'lowest',
      readsCost: true,
      values: (endpoints, view) => endpoints.map(endpoint => weight * (view.costUsd(endpoint) ?? 0)),
    })
  },
})
const facts = { dear: { costUsd: 3 }, cheap: { costUsd: 1 } }

t.test('a sort gets the options that a gateway would give it', async t => {
  t.same(sortOrder(weighed({}), 'weighed', facts), { order: ['cheap', 'dear'], values: { dear: 6, cheap: 2 }, warnings: [] }, 'defaults')
  t.same(sortOrder(weighed({ name: 'own', weight: 0.5 }), 'own', facts).values, { dear: 1.5, cheap: 0.5 })
})

t.test('options that a gateway would refuse are refused', async t => {
  const tried = (options: object) => () => sortOrder(weighed(options), 'weighed', facts)
  t.throws(tried({ weigth: 1 }), {
    name: 'PluginError',
    message: /acme-weighed-sort has bad options: unknown option weigth; did you mean weight\?/,
  })
  t.throws(tried({ weight: -1 }), { name: 'PluginError', message: /weight must be at least 0/ })
})

t.test('a sort that needs more than a sort has is told where to go', async t => {
  const base = { options: { type: 'object', additionalProperties: false, properties: {} } } as const
  const needy = definePlugin({ ...base, name: 'acme-needy-sort', needs: { clock: Clock }, setup() {} })
  t.throws(() => sortOrder(needy({}), 'x', facts), {
    message: /acme-needy-sort needs clock: sortOrder has no services\. Use testGateway instead/,
  })
  const late = definePlugin({ ...base, name: 'acme-late-sort', async setup() {} })
  t.throws(() => sortOrder(late({}), 'x', facts), { message: /asynchronous `setup`/ })
})
