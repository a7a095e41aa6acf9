import t from 'tap'
import { parseEmbeddings } from '../../../../plugins/endpoints/embeddings/parse.ts'

const parse = (body: object): unknown => parseEmbeddings({ model: 'm', input: 'hi', ...body })

t.test('what is accepted', async t => {
  for (const [body, expected] of [
    [{}, { model: 'm', input: ['hi'], format: 'float' }],
    [{ input: ['a', 'b'] }, { input: ['a', 'b'] }],
    [{ input: [1, 2] }, { input: [[1, 2]] }],
    [{ input: [[1], [2, 3]] }, { input: [[1], [2, 3]] }],
    [
      { encoding_format: 'base64', dimensions: 5, user: 'u' },
      { format: 'base64', dimensions: 5, user: 'u' },
    ],
    [{ encoding_format: null, dimensions: null, user: null, input_type: null }, { format: 'float' }],
    [{ input_type: 'search_query' }, { purpose: 'query', extra: { input_type: 'search_query' } }],
    [{ input_type: 'RETRIEVAL_DOCUMENT' }, { purpose: 'document' }],
    [{ input_type: 'unheard of', truncate: 'NONE' }, { extra: { input_type: 'unheard of', truncate: 'NONE' } }],
    [{ routing: { provider: { sort: 'price' } } }, { routing: { provider: { sort: 'price' } } }],
  ] as const)
    t.match(parse(body), expected)
})

t.test('what is refused, by its path', async t => {
  for (const [body, message] of [
    [{ model: undefined }, /Missing required parameter: 'model'/],
    [{ input: undefined }, /Missing required parameter: 'input'/],
    [{ input: null }, /'input'/],
    [{ input: '' }, /'input': expected a text that is not empty/],
    [{ input: [] }, /'input': expected a text or a list of tokens/],
    [{ input: [''] }, /'input\[0\]'/],
    [{ input: ['a', 1] }, /'input\[1\]': expected a text like those before it/],
    [{ input: [1, 'a'] }, /'input\[1\]': expected a token/],
    [{ input: [1, -1] }, /'input\[1\]'/],
    [{ input: [1, 1.5] }, /'input\[1\]'/],
    [{ input: [[1], 'a'] }, /'input\[1\]'/],
    [{ input: [[1], []] }, /'input\[1\]'/],
    [{ input: {} }, /'input'/],
    [{ input: [{}] }, /'input\[0\]'/],
    [{ input: Array.from({ length: 2_049 }, () => 'a') }, /at most 2048 inputs, but got 2049/],
    [{ dimensions: 0 }, /'dimensions'/],
    [{ dimensions: '5' }, /'dimensions'/],
    [{ encoding_format: 'binary' }, /'encoding_format'/],
    [{ user: 5 }, /'user'/],
    [{ routing: { model: {} } }, /'routing.model'/],
  ] as const)
    t.throws(() => parse(body), { message })
  t.throws(() => parseEmbeddings([]), { message: /JSON object/ })
})
