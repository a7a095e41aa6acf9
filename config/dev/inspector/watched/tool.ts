import type { Tool, ToolResult, ToolSession } from '../../../../core/contracts/tool.ts'
import { isObject } from '../../../../core/foundation/json.ts'
import { shadow } from '../shadow.ts'
import type { Step } from '../step.ts'
import { begin, endpointName, follow, followNow, type Watched, type Watching } from './watching.ts'

/** The entry of the caller is not shown: it has credentials. */
export function watchedTool(tool: Tool, { inspector, plugin }: Watching): Tool {
  return shadow(tool, {
    open(entry, scope) {
      const of = { plugin, kind: 'tool', name: tool.type }
      const watched: Watched = { inspector, inspection: inspector.of(scope.context), of }
      const step = begin(watched, 'open')
      step.fact('entry', scope.path)
      return followNow<ToolSession>(
        watched,
        step,
        () => tool.open(entry, scope),
        session => (isObject(session) ? watchedSession(session, watched) : undefined),
      )
    },
  })
}

function watchedSession(session: ToolSession, watched: Watched): ToolSession {
  let choosing: Step | undefined
  return shadow(session, {
    ...(typeof session.runner === 'function' && {
      runner(endpoint, request) {
        const step = (choosing ??= begin(watched, 'runner'))
        const runner = session.runner!(endpoint, request)
        step.fact(endpointName(endpoint), runner)
        step.end()
        return runner
      },
    }),
    ...(typeof session.functions === 'function' && {
      functions(signal) {
        const step = begin(watched, 'functions')
        return follow(
          watched,
          step,
          () => session.functions(signal),
          functions => {
            step.fact('functions', functions.length)
            step.show('functions', functions)
          },
        )
      },
    }),
    ...(typeof session.run === 'function' && {
      run(call, run) {
        const step = begin(watched, 'run')
        step.show('call', call)
        return follow<ToolResult>(
          watched,
          step,
          () => session.run(call, run),
          result => {
            step.fact('costUsd', result.costUsd)
            step.show('result', result)
            if (result.failed === true) step.end('failed')
          },
        )
      },
    }),
  } satisfies Partial<ToolSession>)
}
