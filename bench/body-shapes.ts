// Hostile and plain request bodies, by name. Each is created on demand, because together they would not fit in memory.

const million = 1_000_000
const megabyte = 1024 * 1024
const head = '{"model":"sandbox/echo","input":"hi"'
const part = '{"type":"input_text","text":"a"}'
const tool = (index: number): string => `{"type":"function","name":"tool_${index}"}`

export const bodyShapes: Readonly<Record<string, () => string>> = {
  'prose, 10 MB': () => `${head},"instructions":"${prose(10 * megabyte)}"}`,
  'prose for a model of unknown window, 10 MB': () => unknownWindow(prose(10 * megabyte)),
  'the same, streamed': () => unknownWindow(prose(10 * megabyte), true),
  'escapes for a model of unknown window, 10 MB': () => unknownWindow('\\n\\"ab'.repeat(1_700_000)),
  'a conversation of 9,900 messages, 10 MB': () =>
    request(
      'input',
      times(9_900, () => message(prose(1_000))),
    ),
  'a conversation in Cyrillic, 10 MB': () =>
    request(
      'input',
      times(5_000, () => message('Привет, мир. '.repeat(85))),
    ),
  'instructions of 30 MB with escapes': () => `${head},"instructions":"${'\\n\\"ab'.repeat(5 * million)}"}`,
  'a string of 10 MB of \\u0000': () => `${head},"user":"${'\\u0000'.repeat(1_700_000)}"}`,
  'a string of 10 MB of backslashes': () => `${head},"user":"${'\\\\'.repeat(5 * million)}"}`,
  '10 MB of [': () => '['.repeat(10 * megabyte),
  '32 MB of brackets': () => `${head},"metadata":${'['.repeat(16 * megabyte - 50)}${']'.repeat(16 * megabyte - 50)}}`,
  '10 MB of {"a":': () => '{"a":'.repeat(2 * million),
  '10 MB of ]': () => ']'.repeat(10 * megabyte),
  '10 MB of commas': () => ','.repeat(10 * megabyte),
  '10 MB of spaces': () => `${' '.repeat(10 * megabyte)}${head}}`,
  '1,000,000 unknown members': () => `${head},${members(million)}}`,
  '1,000,000 members of metadata': () => `${head},"metadata":{${members(million)}}}`,
  '1,000,000 members of a tool schema': () => `${head},"tools":[{"type":"function","name":"a","parameters":{${members(million)}}}]}`,
  '1,000,000 members of a format': () =>
    `${head},"text":{"format":{"type":"json_schema","name":"a","schema":{"properties":{${members(million)}}}}}}`,
  '500,000 times the same member': () => `${head},${'"same":0,'.repeat(500_000)}"last":0}`,
  '500,000 times __proto__': () => `${head},${'"__proto__":{},'.repeat(500_000)}"last":0}`,
  '250,000 objects of one large index': () =>
    request(
      'unknown',
      times(250_000, () => '{"499":0}'),
    ),
  '200,000 objects of one name each': () =>
    request(
      'unknown',
      times(200_000, index => `{"n${index}":0}`),
    ),
  '49,000 objects of one name each': () =>
    request(
      'unknown',
      times(49_000, index => `{"n${index}":0}`),
    ),
  '2,000 objects of 99 names each': () =>
    request(
      'unknown',
      times(2_000, index => `{${members(99, `o${index}_`)}}`),
    ),
  '200 objects of 99 names each': () =>
    request(
      'unknown',
      times(200, index => `{${members(99, `o${index}_`)}}`),
    ),
  '20 objects of 9,900 names': () =>
    request(
      'unknown',
      times(20, () => `{${members(9_900)}}`),
    ),
  '200,000 empty lists': () =>
    request(
      'unknown',
      times(40_000, () => '[[],[],[],[]]'),
    ),
  '240,000 numbers': () =>
    request(
      'unknown',
      times(6, () => `[${times(40_000, () => '1e5').join()}]`),
    ),
  '1,000,000 items': () =>
    request(
      'input',
      times(million, () => '{}'),
    ),
  '9,900 messages': () =>
    request(
      'input',
      times(9_900, () => '{"role":"user","content":"a"}'),
    ),
  '9,900 calls': () =>
    request(
      'input',
      times(9_900, index => `{"type":"function_call","call_id":"c${index}","name":"f","arguments":"{}"}`),
    ),
  '500,000 messages': () =>
    request(
      'input',
      times(500_000, () => '{"role":"user","content":"a"}'),
    ),
  '5,000 messages of 9 parts': () =>
    request(
      'input',
      times(5_000, () => `{"role":"user","content":[${times(9, () => part).join()}]}`),
    ),
  '49,000 content parts': () => request('input', [`{"role":"user","content":[${times(49_000, () => part).join()}]}`]),
  '1,000,000 content parts': () => request('input', [`{"role":"user","content":[${times(million, () => '{}').join()}]}`]),
  '400,000 tools': () => request('tools', times(400_000, tool)),
  '1,000 tools': () => request('tools', times(1_000, tool)),
  '1,000,000 include entries': () =>
    request(
      'include',
      times(million, () => '"a"'),
    ),
  '1,000,000 numbers': () =>
    request(
      'unknown',
      times(million, () => '1e5'),
    ),
  'a number of 10 MB': () => `${head},"top_p":${'9'.repeat(10 * megabyte)}}`,
  '2,000 numbers of 5,000 digits': () =>
    request(
      'unknown',
      times(2_000, () => '9'.repeat(5_000)),
    ),
  '500,000 fallbacks': () => `${head},"routing":{"model":{"fallbacks":[${names(500_000)}]}}}`,
  '500,000 providers': () => `${head},"routing":{"provider":{"fallbacks":[${names(500_000)}]}}}`,
  '30 fallbacks of 30 providers': () =>
    `${head},"routing":{"model":{"fallbacks":[${names(30)}]},"provider":{"fallbacks":[${times(30, () => '"sandbox"').join()}]}}}`,
  '9,000 unknown members': () => `${head},${members(9_000)}}`,
  '9,000 members with names of 1,000 characters': () => `${head},${members(9_000, 'x'.repeat(1_000))}}`,
  'a model name of 10 MB': () => `{"input":"hi","model":"${'a'.repeat(10 * megabyte)}"}`,
  'a type of 10 MB': () => `{"model":"sandbox/echo","input":[{"type":"${'a'.repeat(10 * megabyte)}"}]}`,
}

export const decisionShapes: Readonly<Record<string, () => string>> = {
  '1,000,000 questions': () => decision(indexed(million, '{}')),
  '9,000 questions': () => decision(indexed(9_000, '{"type":"noul"}')),
  '9,000 questions of 1 kB': () => decision(indexed(9_000, `{"type":"noul","instructions":"${prose(1_000)}"}`)),
  '1,000,000 options': () => decision(`"q":{"type":"choice","criteria":{${members(million)}}}`),
  '1,000,000 levels': () => decision(`"q":{"type":"score","criteria":[${times(million, () => '0').join()}]}`),
  'a state of 10 MB': () => `{"model":"sandbox/dm","questions":{"q":{"type":"noul"}},"state":"${prose(10 * megabyte)}"}`,
}

function request(member: string, entries: readonly string[]): string {
  const start = member === 'input' ? '{"model":"sandbox/echo"' : head
  return `${start},"${member}":[${entries.join()}]}`
}

function unknownWindow(instructions: string, stream = false): string {
  return `{"model":"demo/new","input":"hi","stream":${stream},"instructions":"${instructions}"}`
}

function decision(questions: string): string {
  return `{"model":"sandbox/dm","state":"a","questions":{${questions}}}`
}

function message(text: string): string {
  return `{"type":"message","role":"user","content":[{"type":"input_text","text":"${text}"}]}`
}

function members(count: number, prefix = 'member'): string {
  return times(count, index => `"${prefix}${index}":0`).join()
}

function indexed(count: number, value: string): string {
  return times(count, index => `"q${index}":${value}`).join()
}

function names(count: number): string {
  return times(count, index => `"sandbox/echo${index}"`).join()
}

function times(count: number, make: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function prose(characters: number): string {
  const words = 'The gateway reads what a client sends, once, and says what is wrong with it by its path. '
  return words.repeat(Math.ceil(characters / words.length)).slice(0, characters)
}
