import t from 'tap'
import { OpenRegistry } from '../../../core/framework/open-registry.ts'

function setUp() {
  const registry = new OpenRegistry<{ readonly id: string; readonly size: number }>('provider', ({ id }) => id)
  registry.add({ id: 'vertex', size: 1 }, 'a')
  registry.add({ id: 'anthropic', size: 2 }, 'b(two)')
  return registry
}

t.test('keeps contributions by name, in order, with their plugin', async t => {
  const registry = setUp()
  t.same(registry.names(), ['vertex', 'anthropic'])
  t.same(
    registry.values().map(({ size }) => size),
    [1, 2],
  )
  t.equal(registry.get('anthropic')?.size, 2)
  t.equal(registry.pluginOf('anthropic'), 'b(two)')
  t.equal(registry.get('nobody'), undefined)
  t.equal(registry.pluginOf('nobody'), undefined)
})

t.test('names what was probably meant', async t => {
  const registry = setUp()
  t.same(registry.nearest('antropic'), ['anthropic'])
  t.same(registry.nearest('Vertex-AI'), ['vertex'])
  t.same(registry.nearest('completely-different'), [])
})

t.test('refuses a name that is taken, and anything after sealing', async t => {
  const registry = setUp()
  t.throws(() => registry.add({ id: 'vertex', size: 3 }, 'c'), {
    plugin: 'c',
    message: 'plugin c adds provider "vertex", which plugin a already added. Rename one of them, or leave out one of the plugins',
  })
  registry.seal()
  t.throws(() => registry.add({ id: 'new', size: 3 }, 'c'), { plugin: 'c', message: 'plugin c adds provider "new" after setup' })
  t.same(registry.names(), ['vertex', 'anthropic'])
})

t.test('hands out copies of its lists', async t => {
  const registry = setUp()
  registry.names().pop()
  registry.values().pop()
  t.equal(registry.names().length, 2)
  t.equal(registry.values().length, 2)
})
