import t from 'tap'
import type { GenerationRequest, JsonObject } from '../../../../core/index.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { stop, text, witness } from '../../../kit/stage.ts'
import { askContent } from './stage.ts'

// What a vendor of another wire is asked for.

const asked: GenerationRequest[] = []
const acme = witness(
  'acme',
  ({ request }) => {
    asked.push(request as GenerationRequest)
    return [text('Hello'), stop]
  },
  { dialect: 'another' },
)

const under = await gateway({ plugins: [geminiApi({}), acme.plugin] })
t.teardown(under.stop)

async function lowered(body: object): Promise<{ readonly request: GenerationRequest & JsonObject; readonly warnings: string }> {
  const { status, headers, body: reply } = await askContent(under, 'acme/m', body)
  t.equal(status, 200, JSON.stringify(reply))
  return { request: asked.at(-1) as GenerationRequest & JsonObject, warnings: headers.get('x-gateway-warnings') ?? '' }
}

t.test('settings', async t => {
  const { request } = await lowered({
    generationConfig: {
      temperature: 0.5,
      top_p: 0.9,
      topK: 3.0,
      max_output_tokens: 50,
      stopSequences: ['END'],
      seed: 7,
      thinkingConfig: { thinkingBudget: 100, include_thoughts: true },
    },
    systemInstruction: 'Be brief.',
    serviceTier: 'SERVICE_TIER_FLEX',
  })
  t.match(request, {
    temperature: 0.5,
    top_p: 0.9,
    top_k: 3,
    max_output_tokens: 50,
    stop: ['END'],
    seed: 7,
    reasoning: { budget_tokens: 100, summary: 'auto' },
    service_tier: 'flex',
    input: [
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    ],
  })
  for (const [thinkingConfig, reasoning] of [
    [{ thinkingBudget: 0 }, { effort: 'none' }],
    [{ thinkingBudget: -1 }, { effort: 'medium' }],
    [{ thinkingLevel: 'low' }, { effort: 'low' }],
  ] as const)
    t.strictSame((await lowered({ generationConfig: { thinkingConfig } })).request.reasoning, reasoning)
})

t.test('schemas', async t => {
  const responseSchema = {
    type: 'OBJECT',
    properties: {
      a: { type: 'STRING', nullable: true, enum: ['x'], format: 'enum' },
      b: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '1', maxItems: 2 },
      c: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], example: 1 },
    },
    required: ['a'],
    propertyOrdering: ['a', 'b'],
  }
  const schema = {
    type: 'object',
    properties: {
      a: { type: ['string', 'null'], enum: ['x', null] },
      b: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 },
      c: { anyOf: [{ type: 'number' }, { type: 'boolean' }], examples: [1] },
    },
    required: ['a'],
  }
  const { request } = await lowered({ generationConfig: { responseMimeType: 'application/json', responseSchema } })
  t.strictSame(request.text, { format: { type: 'json_schema', name: 'output', schema } })
  const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  const strict = await lowered({ generationConfig: { responseMimeType: 'application/json', responseJsonSchema: closed } })
  t.match(strict.request.text, { format: { schema: closed, strict: true } })
  t.strictSame((await lowered({ generationConfig: { responseMimeType: 'application/json' } })).request.text, {
    format: { type: 'json_object' },
  })
  const tools = await lowered({ tools: [{ function_declarations: [{ name: 'look', parameters: responseSchema }] }] })
  t.strictSame(tools.request.tools, [{ type: 'function', name: 'look', parameters: schema }])
})

t.test('choices', async t => {
  const tools = [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }]
  for (const [functionCallingConfig, choice] of [
    [{ mode: 'AUTO' }, 'auto'],
    [{ mode: 'none' }, 'none'],
    [{ mode: 'ANY' }, 'required'],
    [
      { mode: 'ANY', allowedFunctionNames: ['a'] },
      { type: 'function', name: 'a' },
    ],
    [{ mode: 'VALIDATED' }, 'auto'],
  ] as const)
    t.strictSame((await lowered({ tools, toolConfig: { functionCallingConfig } })).request.tool_choice, choice)
})

t.test('calls without ids get stable ones, by name and in order', async t => {
  const call = (name: string, id?: string): object => ({ functionCall: { name, args: { n: 1 }, ...(id && { id }) } })
  const answer = (name: string, value: number, id?: string): object => ({
    functionResponse: { name, response: { value }, ...(id && { id }) },
  })
  const { request } = await lowered({
    tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }],
    contents: [
      { parts: [{ text: 'hi' }] },
      { role: 'model', parts: [call('a'), call('b'), call('a', 'given')] },
      { role: 'function', parts: [answer('b', 1), answer('a', 2, 'made-up'), answer('a', 3)] },
      { role: 'model', parts: [call('a')] },
      { role: 'user', parts: [answer('a', 4), { text: 'go on' }] },
    ],
  })
  t.match(
    request.input.filter(({ type }) => type !== 'message'),
    [
      { type: 'function_call', call_id: 'gemini_call_0', name: 'a', arguments: '{"n":1}' },
      { type: 'function_call', call_id: 'gemini_call_1', name: 'b' },
      { type: 'function_call', call_id: 'given', name: 'a' },
      { type: 'function_call_output', call_id: 'gemini_call_1', output: '{"value":1}' },
      { type: 'function_call_output', call_id: 'gemini_call_0', output: '{"value":2}' },
      { type: 'function_call_output', call_id: 'given', output: '{"value":3}' },
      { type: 'function_call', call_id: 'gemini_call_3' },
      { type: 'function_call_output', call_id: 'gemini_call_3', output: '{"value":4}' },
    ],
  )
})

t.test('media, and what only the vendor knows', async t => {
  const { request, warnings } = await lowered({
    contents: [
      {
        parts: [
          { inlineData: { mimeType: 'image/png', data: '-_8=' } },
          { inline_data: { mime_type: 'application/pdf', data: 'AA==' } },
          { fileData: { fileUri: 'https://example.com/a.pdf' } },
          { executableCode: { code: 'x' } },
        ],
      },
      { role: 'model', parts: [{ text: 'Hm.', thought: true }, { text: 'Yes.' }] },
      { role: 'user', parts: [{ text: 'ok' }] },
    ],
    tools: [{ codeExecution: {} }, { googleSearch: {} }],
    safetySettings: [],
    generationConfig: { speechConfig: {}, responseModalities: ['TEXT'] },
    cachedContent: 'cachedContents/x',
  })
  t.match(request.input, [
    {
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'data:image/png;base64,+/8=' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,AA==' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
      ],
    },
    { type: 'reasoning', summary: [{ text: 'Hm.' }] },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
    { role: 'user' },
  ])
  for (const name of ['executableCode', 'codeExecution', 'safetySettings', 'cachedContent', 'generationConfig.speechConfig'])
    t.match(warnings, name)
  t.notMatch(warnings, 'responseModalities')
})

t.test('names of functions that other vendors do not take', async t => {
  const { request, warnings } = await lowered({ tools: [{ functionDeclarations: [{ name: 'a.b:c' }, { name: 'a_b_c' }] }] })
  t.match(request.tools, [{ name: /^a_b_c_\w{8}$/ }, { name: 'a_b_c' }])
  t.match(warnings, /other characters/)
})

t.test('models in the path', async t => {
  for (const path of ['acme/m', 'acme%2Fm', 'models/acme/m', 'acme/m:8b', 'acme%2Fm%3A8b']) {
    const { status } = await askContent(under, path)
    t.equal(status, 200, path)
  }
  for (const [path, method] of [
    ['acme/m', 'other'],
    ['acme/m', ''],
  ] as const) {
    const reply = await under.request(`/v1beta/models/${path}:${method}`, { body: {} })
    t.equal(reply.status, 404)
    t.match(await reply.json(), { error: { code: 404, status: 'NOT_FOUND', message: /generateContent/ } })
  }
  const v1 = await under.request('/v1/models/acme/m:generateContent', { body: { contents: [{ parts: [{ text: 'hi' }] }] } })
  t.equal(v1.status, 200)
})

t.test('what is wrong is named by its path', async t => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
  for (const [body, field] of [
    [{ contents: [] }, 'contents'],
    [{ contents: 'hi' }, 'contents'],
    [{ contents: null }, 'contents'],
    [{ contents: [{ role: 'robot', parts: [] }] }, 'contents[0].role'],
    [{ contents: [{ parts: {} }] }, 'contents[0].parts'],
    [{ contents: [{ parts: [{}] }] }, 'contents[0].parts[0]'],
    [{ contents: [{ parts: [{ fileData: { fileUri: 'nowhere' } }] }] }, 'contents'],
    [{ contents: [{ parts: [1] }] }, 'contents[0].parts[0]'],
    [{ contents: [{ parts: [{ text: 1 }] }] }, 'contents[0].parts[0].text'],
    [{ contents: [{ parts: [{ inlineData: {} }] }] }, 'contents[0].parts[0].inlineData.data'],
    [{ contents: [{ parts: [{ inline_data: { data: 5 } }] }] }, 'contents[0].parts[0].inlineData.data'],
    [{ contents: [{ parts: [{ inlineData: { data: '' }, inline_data: { data: '' } }] }] }, 'contents[0].parts[0].inlineData'],
    [{ contents: [{ parts: [{ functionCall: { name: 'a', args: [] } }] }] }, 'contents[0].parts[0].functionCall.args'],
    [{ contents: [{ parts: [{ functionResponse: {} }] }] }, 'contents[0].parts[0].functionResponse.name'],
    [{ contents: [{ parts: [{ text: 'a', thoughtSignature: {} }] }] }, 'contents[0].parts[0].thoughtSignature'],
    [{ generationConfig: [] }, 'generationConfig'],
    [{ generationConfig: { temperature: 'hot' } }, 'generationConfig.temperature'],
    [{ generationConfig: { temperature: 1e308 } }, 'generationConfig.temperature'],
    [{ generationConfig: { maxOutputTokens: 0 } }, 'generationConfig.maxOutputTokens'],
    [{ generationConfig: { candidateCount: 99 } }, 'generationConfig.candidateCount'],
    [{ generationConfig: { thinkingConfig: { thinkingLevel: 'WILD' } } }, 'generationConfig.thinkingConfig.thinkingLevel'],
    [{ generationConfig: { stopSequences: 'END' } }, 'generationConfig.stopSequences'],
    [{ generationConfig: { responseSchema: 'x' } }, 'generationConfig.responseSchema'],
    [{ tools: {} }, 'tools'],
    [{ tools: [{ functionDeclarations: [{ name: 'a b' }] }] }, 'tools[0].functionDeclarations[0].name'],
    [
      { tools: [{ functionDeclarations: [{ name: 'a' }] }, { functionDeclarations: [{ name: 'a' }] }] },
      'tools[1].functionDeclarations[0].name',
    ],
    [{ toolConfig: { functionCallingConfig: { mode: 'SOMETIMES' } } }, 'toolConfig.functionCallingConfig.mode'],
    [{ toolConfig: { functionCallingConfig: { mode: 'ANY' } } }, 'toolConfig.functionCallingConfig.mode'],
    [
      { toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['x'] } } },
      'toolConfig.functionCallingConfig.allowedFunctionNames[0]',
    ],
    [{ systemInstruction: { parts: 'x' } }, 'systemInstruction.parts'],
    [{ safetySettings: {} }, 'safetySettings'],
    [{ __proto__: null, routing: { model: 5 } }, 'routing.model'],
  ] as const) {
    const { status, body: reply } = await askContent(under, 'acme/m', body)
    t.match([status, reply.error], [400, { code: 400, status: 'INVALID_ARGUMENT', message: String }], JSON.stringify(body))
    const [violation] = reply.error['details'] as readonly [{ fieldViolations: readonly [{ field: string }] }]
    t.equal(violation.fieldViolations[0].field, field, JSON.stringify(body))
  }
  t.match(await askContent(under, 'acme/m', { extra: deep(200) }), { status: 400, body: { error: { message: /nests deeper/ } } })
  t.match(await askContent(under, `acme/${'m'.repeat(300)}`), { status: 400, body: { error: { message: /300|305/ } } })
  t.match(await askContent(under, ''), { status: 400, body: { error: { message: /no model/ } } })
})

t.test('clients may leave `models/` out before a name with a slash', async t => {
  const { plugin, calls } = witness('acme', () => [{ type: 'text', text: 'ok' }, stop])
  const under = await gateway({ plugins: [geminiApi({}), plugin] })
  t.teardown(under.stop)
  const post = async (path: string): Promise<number> => {
    const reply = await under.request(path, { body: { contents: [{ parts: [{ text: 'hi' }] }] } })
    t.match(await reply.json(), reply.status === 200 ? { candidates: [{}] } : { error: { code: reply.status, status: 'NOT_FOUND' } })
    return reply.status
  }
  for (const path of ['/v1beta/acme/m:generateContent', '/v1beta/acme/m/large:8b:generateContent']) t.equal(await post(path), 200, path)
  t.same(
    calls.map(({ endpoint }) => endpoint.model),
    ['m', 'm/large:8b'],
  )
  for (const path of ['/v1beta/acme/m', '/v1beta/files', '/v1beta/files/one']) t.equal(await post(path), 404, path)
})
