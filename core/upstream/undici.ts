// The parts of undici that the gateway uses. Its main module also loads fetch, WebSocket, caches and mocks, which takes a start 50 ms.

import type { Agent as AgentType, buildConnector as ConnectorType, Pool as PoolType, ProxyAgent as ProxyAgentType } from 'undici'
// @ts-expect-error Only the main module has types. undici's version is exact, so the parts stay where they are.
import api from 'undici/lib/api/index.js'
// @ts-expect-error
import connect from 'undici/lib/core/connect.js'
// @ts-expect-error
import agent from 'undici/lib/dispatcher/agent.js'
// @ts-expect-error
import dispatcher from 'undici/lib/dispatcher/dispatcher.js'
// @ts-expect-error
import pool from 'undici/lib/dispatcher/pool.js'
// @ts-expect-error
import proxyAgent from 'undici/lib/dispatcher/proxy-agent.js'

// As the main module does: `request` and the like are methods of every dispatcher.
Object.assign(dispatcher.prototype as object, api)

export const Agent = agent as typeof AgentType
export const Pool = pool as typeof PoolType
export const ProxyAgent = proxyAgent as typeof ProxyAgentType
export const buildConnector = connect as typeof ConnectorType
