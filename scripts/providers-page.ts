import { hosts, type Host, type HostName } from '../plugins/providers/openai-chat/hosts.ts'
import { recordedHosts } from './recorded-hosts.ts'

/** Generates `docs/providers.md` from the table of hosts. */
export function providersPage(): string {
  const rows = Object.entries<Host>(hosts).map(([name, host]) => `| ${cells(name as HostName, host).join(' | ')} |`)
  return `${introduction}\n${rows.join('\n')}\n`
}

const introduction = `<!-- Written by \`npm run docs\` from plugins/providers/openai-chat/hosts.ts: change that. -->

# Providers

| plugin | speaks | key variable for \`defaults()\` |
|---|---|---|
| \`openai-responses\` | OpenAI's Responses, at OpenAI and at other hosts by \`baseUrl\`: xAI, DeepSeek, OpenRouter | \`OPENAI_API_KEY\` |
| \`anthropic\` | Anthropic's Messages | \`ANTHROPIC_API_KEY\` |
| \`gemini\` | Gemini's generateContent, with an AI Studio key | \`GEMINI_API_KEY\`, \`GOOGLE_API_KEY\` |
| \`vertex\` | Gemini and Claude on Vertex AI, with Google credentials ([below](#cloud-credentials)). Takes \`project\`, \`location\` and \`credentials\` instead of a key | none |
| \`cohere\` | Cohere's Chat, version 2 | \`CO_API_KEY\`, \`COHERE_API_KEY\` |
| \`ollama\` | Ollama's own chat, with the models on the server | none: included if it is running |
| \`bedrock\` | Amazon Bedrock's Converse in one region, for models, inference profiles and ARNs, with \`apiKey\`, \`credentials\`, \`profile\` or \`defaultChain\` ([below](#cloud-credentials)); InvokeModel with Anthropic's or OpenAI's bodies for the models in \`invoke\`. For Bedrock's OpenAI-compatible endpoints, use \`openai-responses\` and \`openai-chat\` | \`AWS_BEARER_TOKEN_BEDROCK\`, or \`AWS_ACCESS_KEY_ID\` with \`AWS_SECRET_ACCESS_KEY\`; and \`AWS_REGION\` |
| \`azure\` | on Azure: OpenAI's models through Responses or Chat Completions, Claude through Messages, others through Chat Completions, by deployment. Takes \`resource\`, \`deployments\`, \`apiVersion\`, and a key or Microsoft Entra ([below](#cloud-credentials)) | \`AZURE_OPENAI_API_KEY\` with \`AZURE_OPENAI_ENDPOINT\` |
| \`mistral\` | Mistral's Chat Completions, with \`safePrompt\` and \`guardrails\` | \`MISTRAL_API_KEY\` |
| \`openai-chat\` | Chat Completions, with the hosts below | as below |
| \`ai-sdk\` | any provider package of the AI SDK (see below) | none |
| \`sandbox\` | nothing: deterministic models \`sandbox/echo\`, \`sandbox/tools\`, \`sandbox/reasoning\`, \`sandbox/slow\`, \`sandbox/fail\` that cover every feature without a vendor | none |

Each takes \`id\`, \`apiKey\`, \`baseUrl\`, \`headers\` and \`timeouts\`, and can be listed several times under different ids. If you name the provider, you can use any model: \`groq/any-model\`.

## Cloud credentials

Static keys need no package. All other credentials come from the cloud's own library, which you install next to the gateway. If it is missing, the gateway does not start, and the error names the package.

| plugin | without a package | with the package | package |
|---|---|---|---|
| \`bedrock\` | \`apiKey\`: a Bedrock API key. \`credentials\`: access keys, with or without a session token. Both can come from the environment | \`profile\`: a profile with access keys, a role, single sign-on or a process. \`defaultChain\`: whatever AWS's own tools find. In a container or a cluster (web identity), the environment is enough. For the role of an EC2 instance, set \`defaultChain: true\` | \`@aws-sdk/credential-provider-node\` |
| \`azure\` | \`apiKey\`: a key of the resource. \`token\`: a token that you renew yourself | \`entra\`: an application's secret or certificate, a workload identity, a managed identity, or, with \`{}\`, whatever \`DefaultAzureCredential\` finds, such as an \`az\` login | \`@azure/identity\` |
| \`vertex\` | nothing | \`credentials\`: a service account, a user, a workload identity, an impersonated service account, application default credentials, or the machine's metadata server | \`google-auth-library\` |

Granted credentials are kept in memory and renewed in the background five minutes before they expire, one renewal at a time. Only the first request waits. Logs and errors mask them until they expire. The libraries open their own connections: the gateway's connection settings do not apply to them.

## Packages of the AI SDK

Install any package whose models implement version 2, 3 or 4 of the AI SDK's specification next to your config, and add it in one line:

\`\`\`ts
import aiSdk from 'turnpike/plugins/providers/ai-sdk'

aiSdk({ package: '@ai-sdk/groq', apiKey: env('GROQ_API_KEY') })
aiSdk({ package: '@ai-sdk/openai', method: 'chat', id: 'openai-sdk', apiKey: env('OPENAI_API_KEY') })
aiSdk({ package: '@ai-sdk/openai-compatible', settings: { name: 'demo', baseURL: 'https://api.example.com/v1' } })
aiSdk({ package: './my-provider.ts', export: 'provider' })
\`\`\`

\`apiKey\` and \`baseUrl\` are the package's settings \`apiKey\` and \`baseURL\`; all other settings go into \`settings\`, and are masked like a key unless they are clearly not secret. If a setting needs code, such as a function that fetches credentials, create the provider in your own module and name it with \`export\`. Packages may also read keys from the environment: those are not masked.

The plugins above support more than a package does: with a package, refusals arrive as filtered content, and logprobs, searches and custom tools are not available. Before version 4, \`reasoning.effort\` reaches only the packages of OpenAI, Azure and Groq. Use \`providerOptions\` for others.

## Hosts of \`openai-chat\`

\`openaiChat({ host: 'groq', apiKey: env('GROQ_API_KEY') })\`. A host is data: its URL, and how it departs from the protocol. Parameters that a host does not support are left out and listed in the \`x-gateway-warnings\` header.

A host marked \`*\` is used only if you configure it by name, because its key variable is shared with another provider or has other uses. \`{account}\` in a URL is the option \`account\`. With \`defaults()\` it comes from the variable listed after the key's.

"Replies" shows which rows were checked against recorded replies of the host. The others rely on the linked page and on the protocol's tests.

| host | address | key variable | not taken | replies | read from |
|---|---|---|---|---|---|`

function cells(name: HostName, host: Host): readonly string[] {
  const variables = [host.keyVariable, host.account?.variable].filter(variable => variable !== undefined)
  return [
    `\`${name}\`${host.explicit ? ' *' : ''}`,
    code(host.baseUrl),
    variables.map(code).join(', '),
    departures(host),
    recordedHosts.has(name) ? 'recorded' : '',
    `[${new URL(host.source).host}](${host.source})`,
  ]
}

function code(text: string | undefined): string {
  return text === undefined ? '' : `\`${text}\``
}

function departures({ without = [], files, customTools }: Host): string {
  return [...without.map(code), ...(files ? [] : ['files']), ...(customTools ? [] : ['custom tools (sent as functions)'])].join(', ')
}
