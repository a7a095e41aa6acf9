import { existsSync } from 'node:fs'
import type { Options } from '../../../core/index.ts'

const text = { type: 'string', minLength: 1 } as const
const secret = { ...text, writeOnly: true } as const

export const entraOption = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tenantId: { ...text, description: 'The tenant of the application. Default with `tokenFile`: `AZURE_TENANT_ID`.' },
    clientId: {
      ...text,
      description: 'The application. With `managedIdentity`: the user-assigned identity. Default with `tokenFile`: `AZURE_CLIENT_ID`.',
    },
    clientSecret: { ...secret, description: "The application's secret." },
    certificate: { ...secret, description: "The application's certificate and its private key, as PEM text." },
    certificateFile: { ...text, description: 'A PEM file with both, instead of `certificate`. The gateway rereads it for every token.' },
    tokenFile: { ...text, description: 'Workload identity: the file with the token from the cluster.' },
    managedIdentity: { const: true, description: "Use the machine's identity." },
    scope: { ...text, default: 'https://cognitiveservices.azure.com/.default', description: 'The scope of the tokens.' },
    authority: {
      type: 'string',
      format: 'uri',
      pattern: '^https:',
      description: 'Where tokens come from. Default: `AZURE_AUTHORITY_HOST`, else `https://login.microsoftonline.com`.',
    },
  },
  description:
    "Microsoft Entra access tokens instead of a key. Set one of `clientSecret`, `certificate`, `certificateFile`, `tokenFile` and `managedIdentity`, or `{}` to use whatever `DefaultAzureCredential` finds, such as the `AZURE_…` variables of an application, a workload identity, the machine's identity or the login of the `az` command. Needs the package `@azure/identity`.",
} as const

export type EntraOption = Options<typeof entraOption>

/** The option with its paths made absolute by `resolve`. */
export function withPaths(entra: EntraOption, resolve: (path: string) => string): EntraOption {
  const { certificateFile, tokenFile } = entra
  return {
    ...entra,
    ...(certificateFile !== undefined && { certificateFile: resolve(certificateFile) }),
    ...(tokenFile !== undefined && { tokenFile: resolve(tokenFile) }),
  }
}

const proofs = ['clientSecret', 'certificate', 'certificateFile', 'tokenFile', 'managedIdentity'] as const

/** Finds what would fail at the first request. Returns a phrase that follows the plugin's name, or undefined. */
export function entraProblem(entra: EntraOption, environment: NodeJS.ProcessEnv): string | undefined {
  const given = proofs.filter(proof => entra[proof] !== undefined)
  if (given.length > 1) return `takes only one of the options entra.${given.join(', entra.')}.`
  const [proof] = given
  if (proof === undefined || proof === 'managedIdentity') return undefined
  const fromEnvironment = proof === 'tokenFile'
  const missing = [
    (entra.tenantId ?? (fromEnvironment && environment['AZURE_TENANT_ID'])) ? undefined : 'tenantId',
    (entra.clientId ?? (fromEnvironment && environment['AZURE_CLIENT_ID'])) ? undefined : 'clientId',
  ].filter(name => name !== undefined)
  if (missing.length > 0) return `needs the option entra.${missing.join(' and entra.')} with entra.${proof}.`
  const path = entra.certificateFile ?? entra.tokenFile
  return path === undefined || existsSync(path) ? undefined : `cannot find the file ${path} of the option entra.${proof}.`
}
