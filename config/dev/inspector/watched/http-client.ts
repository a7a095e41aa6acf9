import { pipeline, Transform } from 'node:stream'
import type { UpstreamHeaders, UpstreamRequest } from '../../../../core/contracts/adapter.ts'
import type { HttpClient, ReplyReceiver } from '../../../../core/contracts/http-client.ts'
import { withoutCredentials, withoutSecrets } from '../hidden.ts'
import { shadow } from '../shadow.ts'
import type { Step } from '../step.ts'
import { WireText } from './wire-text.ts'
import { begin, quietly, watchedHere, within, type Watched, type Watching } from './watching.ts'

/** Shows what goes to others and comes back, without credentials. */
export function watchedClient(http: HttpClient, watching: Watching): HttpClient {
  const opened = (request: UpstreamRequest): { readonly watched: Watched; readonly step: Step } | undefined => {
    // Callers may name servers, too, as those of MCP.
    const name = watching.inspector.here?.inspection.showsContent === true ? hostOf(request?.url) : 'a server'
    const watched = watchedHere(watching, 'request to', name)
    if (!watched) return undefined
    const step = begin(watched, request.method)
    quietly(() => showRequest(request, step, watched))
    return { watched, step }
  }
  return shadow(http, {
    async send(request, options) {
      const open = opened(request)
      if (!open) return await http.send(request, options)
      const { watched, step } = open
      try {
        const reply = await within(watched, step, () => http.send(request, options))
        showHead(step, reply.status, reply.headers)
        const text = new WireText()
        const body = new Transform({
          transform(chunk: Uint8Array, _, done) {
            text.add(chunk)
            done(null, chunk)
          },
        })
        pipeline(reply.body, body, error => {
          text.show(step)
          if (!error) step.end()
          // Nobody wanted the rest.
          else if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') step.end('left')
          else step.fail(error)
        })
        return { ...reply, body }
      } catch (error) {
        step.fail(error)
        throw error
      }
    },
    ...(http.exchange && {
      exchange(request, receiver, connectTimeoutMs) {
        const open = opened(request)
        if (!open) return http.exchange!(request, receiver, connectTimeoutMs)
        const { watched, step } = open
        try {
          const told = watchedReply(receiver, step)
          const transfer = within(watched, step, () => http.exchange!(request, told, connectTimeoutMs))
          return shadow(transfer, {
            stop() {
              told.over('left')
              transfer.stop()
            },
          })
        } catch (error) {
          step.fail(error)
          throw error
        }
      },
    }),
  } satisfies Partial<HttpClient>)
}

function watchedReply(receiver: ReplyReceiver, step: Step): ReplyReceiver & { over(outcome: 'done' | 'left'): void } {
  const text = new WireText()
  const over = (outcome: 'done' | 'left'): void => {
    text.show(step)
    step.end(outcome)
  }
  return {
    over,
    head(status, headers) {
      showHead(step, status, headers)
      receiver.head(status, headers)
    },
    chunk(bytes) {
      text.add(bytes)
      receiver.chunk(bytes)
    },
    end() {
      over('done')
      receiver.end()
    },
    fail(error) {
      text.show(step)
      step.fail(error)
      receiver.fail(error)
    },
  }
}

function showRequest({ method, url, query, headers, body }: UpstreamRequest, step: Step, { inspection }: Watched): void {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : new TextDecoder().decode(body)
  const address = `${url}${query === undefined ? '' : `?${query}`}`
  step.fact('bytes sent', text?.length)
  step.show('request', { method, url: withoutSecrets(address, inspection.masks), headers: withoutCredentials(headers) })
  if (text !== undefined && text !== '') step.show('body', quietly((): unknown => JSON.parse(text)) ?? text)
}

function showHead(step: Step, status: number, headers: UpstreamHeaders): void {
  step.fact('status', status)
  step.show('reply', { status, headers })
}

function hostOf(url: string | undefined): string {
  return URL.parse(url ?? '')?.host ?? 'an address that is no URL'
}
