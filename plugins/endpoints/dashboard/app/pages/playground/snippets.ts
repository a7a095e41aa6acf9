type Json = Readonly<Record<string, unknown>>

export const languages = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

/** Code that sends the same request without the dashboard. The key stays a variable, because only its owner knows it. */
export function snippetOf(language: Language, surface: string, baseUrl: string, request: Json, path = `/v1/${surface}`): string {
  const url = `${baseUrl}${path}`
  if (language === 'curl') return curl(url, request)
  if (surface !== 'decisions' && surface !== 'responses')
    return language === 'Python' ? pythonPost(url, request) : typescriptPost(url, request)
  if (surface === 'decisions') return language === 'Python' ? pythonDecision(baseUrl, request) : typescriptDecision(baseUrl, request)
  return language === 'Python' ? pythonSdk(baseUrl, request) : typescriptSdk(baseUrl, request)
}

/** The reply is no JSON, but events. */
function isStream(url: string, { stream }: Json): boolean {
  return stream === true || url.endsWith('alt=sse')
}

function curl(url: string, request: Json): string {
  const noBuffer = isStream(url, request) ? '-N ' : ''
  const body = JSON.stringify(request, undefined, 2).replaceAll("'", String.raw`'\''`)
  return `curl ${noBuffer}${url.includes('?') ? `'${url}'` : url} \\
  -H "Authorization: Bearer $TURNPIKE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${body}'`
}

function typescriptSdk(baseUrl: string, request: Json): string {
  const reading =
    request['stream'] === true
      ? `const stream = await client.responses.create(${typescriptOf(request)})

for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)
}`
      : `const response = await client.responses.create(${typescriptOf(request)})

console.log(response.output_text)`
  return `import OpenAI from ${quoted('openai')}

const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: process.env.TURNPIKE_KEY })
${reading}`
}

function typescriptPost(url: string, request: Json): string {
  const reading = isStream(url, request)
    ? `for await (const text of response.body.pipeThrough(new TextDecoderStream())) process.stdout.write(text)`
    : 'console.log(await response.json())'
  return `const response = await fetch(${quoted(url)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.TURNPIKE_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${typescriptOf(request, 1)}),
})

${reading}`
}

function typescriptDecision(baseUrl: string, request: Json): string {
  return `import OpenAI from ${quoted('openai')}

const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: process.env.TURNPIKE_KEY })
const decision = await client.decisions.create(${typescriptOf(request)})

console.log(decision.answers)`
}

function pythonDecision(baseUrl: string, request: Json): string {
  const members = Object.entries(request).map(([name, value]) => `    ${name}=${pythonOf(value, 1)},`)
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["TURNPIKE_KEY"])
decision = client.decisions.create(
${members.join('\n')}
)

print(decision.answers)`
}

/** The SDK knows the members of the standard. What the gateway adds goes into \`extra_body\`. */
const sdkMembers = [
  'model',
  'input',
  'instructions',
  'stream',
  'temperature',
  'top_p',
  'max_output_tokens',
  'reasoning',
  'tools',
  'tool_choice',
  'text',
  'metadata',
  'previous_response_id',
  'store',
  'include',
]

function pythonSdk(baseUrl: string, request: Json): string {
  const entries = Object.entries(request)
  const known = entries.filter(([name]) => sdkMembers.includes(name)).map(([name, value]) => `    ${name}=${pythonOf(value, 1)},`)
  const extra = Object.fromEntries(entries.filter(([name]) => !sdkMembers.includes(name)))
  if (Object.keys(extra).length > 0) known.push(`    extra_body=${pythonOf(extra, 1)},`)
  const reading =
    request['stream'] === true
      ? `for event in response:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`
      : 'print(response.output_text)'
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["TURNPIKE_KEY"])
response = client.responses.create(
${known.join('\n')}
)

${reading}`
}

function pythonPost(url: string, request: Json): string {
  const streams = isStream(url, request)
  const reading = streams ? 'for line in response.iter_lines(decode_unicode=True):\n    print(line)' : 'print(response.json())'
  return `import os
import requests

response = requests.post(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['TURNPIKE_KEY']}"},
    json=${pythonOf(request, 1)},${streams ? '\n    stream=True,' : ''}
)
${reading}`
}

/** An object literal: names without quotes where they need none. */
function typescriptOf(value: unknown, depth = 0): string {
  const [inner, outer] = ['  '.repeat(depth + 1), '  '.repeat(depth)]
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[\n${value.map(each => `${inner}${typescriptOf(each, depth + 1)},`).join('\n')}\n${outer}]`
  if (typeof value === 'object' && value !== null) {
    const lines = Object.entries(value).map(([name, each]) => `${inner}${nameOf(name)}: ${typescriptOf(each, depth + 1)},`)
    return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${outer}}`
  }
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

function quoted(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}

function pythonOf(value: unknown, depth: number): string {
  const [inner, outer] = ['    '.repeat(depth + 1), '    '.repeat(depth)]
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[\n${value.map(each => `${inner}${pythonOf(each, depth + 1)},`).join('\n')}\n${outer}]`
  if (typeof value === 'object') {
    const lines = Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${pythonOf(each, depth + 1)},`)
    return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${outer}}`
  }
  return JSON.stringify(value)
}
