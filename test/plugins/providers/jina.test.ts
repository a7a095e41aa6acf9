import t from 'tap'
import jina from '../../../plugins/providers/jina/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask } from '../../kit/stage.ts'

t.test('it does not generate, and says so', async t => {
  const under = await gateway({ plugins: [jina({ apiKey: 'sk-demo' })] })
  t.teardown(under.stop)
  const { status, error } = await ask(under, { model: 'jina/some-model' })
  t.equal(status, 400)
  t.match(error.message, /makes embeddings and reranks. It does not generate text/)
})

t.test('its own address needs a key', async t => {
  await t.rejects(gateway({ plugins: [jina({})] }), { message: /needs the option apiKey/ })
  const under = await gateway({ plugins: [jina({ baseUrl: 'http://127.0.0.1:9' })] })
  await under.stop()
})
