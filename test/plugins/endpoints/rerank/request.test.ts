import t from 'tap'
import { parseRerank } from '../../../../plugins/endpoints/rerank/parse.ts'

const parse = (body: object): any => parseRerank({ model: 'm', query: 'q', documents: ['a', 'b'], ...body })

t.test('what is accepted', async t => {
  t.same(parse({}), { request: { model: 'm', query: 'q', documents: ['a', 'b'] }, returnsDocuments: false })
  t.match(parse({ documents: [{ text: 'a', title: 'x' }, 'b'] }), { request: { documents: ['a', 'b'] } })
  t.match(parse({ top_n: 1 }), { request: { top: 1 } })
  t.match(parse({ top_k: 9 }), { request: { top: 2 } })
  t.match(parse({ return_documents: true, max_tokens_per_doc: 100 }), { request: { maxTokensPerDocument: 100 }, returnsDocuments: true })
  t.match(parse({ top_n: null, return_documents: null }), { returnsDocuments: false })
  t.same(parse({ truncation: true }).request.extra, { truncation: true })
})

t.test('what is refused, by its path', async t => {
  for (const [body, message] of [
    [{ query: undefined }, /Missing required parameter: 'query'/],
    [{ query: '' }, /'query'/],
    [{ documents: [] }, /'documents'/],
    [{ documents: 'a' }, /'documents'/],
    [{ documents: [{ title: 'x' }] }, /'documents\[0\]/],
    [{ documents: ['a', 5] }, /'documents\[1\]/],
    [{ top_n: 0 }, /'top_n'/],
    [{ routing: { model: {} } }, /'routing.model'/],
  ] as const)
    t.throws(() => parse(body), { message })
})
