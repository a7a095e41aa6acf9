import type { JsonObject } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { RecordFacts, RecordFilterName } from './record-fields.ts'
import type { PageQuery, Position } from './page.ts'
import { contract } from '../foundation/token.ts'

export type { RecordFacts } from './record-fields.ts'

/** `model` and `provider` are those of any attempt; with both, of the same attempt. */
export interface RecordFilter extends Partial<Readonly<Record<RecordFilterName, string | undefined>>> {
  /** The id of the request, or of the response or decision that answered it. */
  readonly id?: string | undefined
  /** `error`: all of 400 and above. */
  readonly status?: number | 'error' | undefined
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number | undefined
  /** Milliseconds since the epoch, exclusive. */
  readonly to?: number | undefined
  /** Only requests that cost at least so many US dollars. */
  readonly minCostUsd?: number | undefined
  /** Only requests that failed: with a status of 400 or above, or with a reason, such as a stream that broke off. */
  readonly failed?: true | undefined
}

/** The numbers of a record by which lists can be sorted and narrowed. `totalTokens`: those of the input and the output together. */
export const recordMeasures = ['elapsedMs', 'firstEventMs', 'inputTokens', 'outputTokens', 'totalTokens', 'costUsd'] as const
/** A number of records by which they can be ordered. */
export type RecordMeasure = (typeof recordMeasures)[number]

/** The most records that a sorted list is made of, so that no list reads a whole table: the newest that an index finds for the filter. */
export const mostRanked = 50_000

/** The page of a list that is sorted or narrowed by numbers. */
export interface RankedQuery {
  /** Records without this number are left out. `at`: the time of arrival. Equal ones are in the order of `at`, then of their ids. */
  readonly by: RecordMeasure | 'at'
  /** True: the smallest first. */
  readonly ascending: boolean
  /** Bounds, both inclusive. Records without the number are left out. */
  readonly ranges: Readonly<Partial<Record<RecordMeasure, { readonly least?: number; readonly most?: number }>>>
  /** At least how many of the newest records to look at, unless there are fewer. */
  readonly among: number
  /** The most records. */
  readonly limit: number
  /** The last record of the page before. Absent for the first page. */
  readonly after?:
    | {
        /** The number by which records are ordered. */
        readonly value: number
        /** Its time of arrival, in milliseconds since the epoch. */
        readonly at: number
        /** Its id. */
        readonly id: string
      }
    | undefined
}

/** Some records in the order of a measure. */
export interface RankedPage {
  /** In the order that was asked for. */
  readonly records: readonly RecordFacts[]
  /** Records that arrived before this time were not looked at. Null if all were. */
  readonly searchedFrom: number | null
}

/** The number of a record. Null if it has none. */
export function measureOf(record: RecordFacts, measure: RankedQuery['by']): number | null {
  if (measure !== 'totalTokens') return record[measure]
  const { inputTokens, outputTokens } = record
  return inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens
}

/** The content of a record whose policy had `logging` on. */
export interface RecordContent {
  /** The body of the request. Null: not kept. */
  readonly request: JsonObject | null
  /** The body of the answer. Null: not kept. */
  readonly response: JsonObject | null
  /** More content, by its purpose. */
  readonly kept?: Readonly<Record<string, JsonObject>> | undefined
}

/** `total`: everything in one bucket, which starts with the query. */
export const usageBuckets = ['minute', 'hour', 'day', 'total'] as const
/** The length of the parts into which usage is summed. */
export type UsageBucket = (typeof usageBuckets)[number]
/** The facts by which usage can be summed. */
export const usageGroups = ['model', 'provider', 'key', 'team', 'org', 'session'] as const
/** A fact by which usage is summed. */
export type UsageGroup = (typeof usageGroups)[number]

/** Which usage to sum up, and how. */
export interface UsageQuery {
  /** Milliseconds since the epoch, inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** By session, there are no minutes: see `isBySession`. */
  readonly bucket: UsageBucket
  /** The time zone whose days the bucket `day` counts: see `dayStarts`. Default: UTC. */
  readonly timeZone?: string | undefined
  /** A row has the sums of one combination of their values. */
  readonly groupBy: readonly UsageGroup[]
  /** Only these. */
  readonly org?: string | undefined
  /** The id of a team. */
  readonly team?: string | undefined
  /** The id of a user. */
  readonly user?: string | undefined
  /** The id of an API key. */
  readonly key?: string | undefined
  /** The id of a session. */
  readonly session?: string | undefined
  /**
   * Only this many groups, those with the most requests and attempts together or, by session, those that cost most; all others are summed
   * up. Default: every group.
   */
  readonly top?: number | undefined
  /** Also reads how long answers and attempts took. Not known by session. */
  readonly latency?: boolean | undefined
  /** The most rows. */
  readonly limit: number
}

/**
 * True if the query tells sessions apart. Only requests that belong to one then count. There are many sessions, so a store may keep their
 * sums by quarters of an hour: it then widens the period to whole quarters.
 */
export function isBySession({ groupBy, session }: Pick<UsageQuery, 'groupBy' | 'session'>): boolean {
  return session !== undefined || groupBy.includes('session')
}

/**
 * The party that caused the error of a request: the caller; a policy, permission, limit, cap or credit; a vendor; or the gateway and its
 * setup.
 */
export const errorCauses = ['caller', 'policy', 'vendor', 'gateway'] as const
/** Who or what a failed request failed by. */
export type ErrorCause = (typeof errorCauses)[number]

/** The name in usage for the models of an organization that no catalog lists, beyond the first hundred. */
export const otherModel = 'other'

/**
 * The sums of one bucket and group. A request counts once, with its tokens and cost: for the model and provider of its record. An attempt
 * counts for the model and provider that it asked.
 */
export interface UsageRow {
  /** The start of the bucket, in milliseconds since the epoch. */
  readonly at: number
  /** A value for each member of `groupBy`. Null: requests without one. Undefined: the sums of all groups that are not among the top. */
  readonly group: Readonly<Partial<Record<UsageGroup, string | null>>> | undefined
  /** All, with and without errors. */
  readonly requests: number
  /** Requests with a status of 400 or more. */
  readonly errors: number
  /** The errors by their cause. Null: unknown. A store may know the causes of only some errors. */
  readonly errorsBy: Readonly<Record<ErrorCause, number>> | null
  /** Null: unknown. A store may know only some of the attempts. The same goes for the next two members. */
  readonly attempts: number | null
  /** Without abandoned attempts. */
  readonly failedAttempts: number | null
  /** Attempts that failed by the vendor's fault. */
  readonly faults: number | null
  /** With those read from a cache. */
  readonly inputTokens: number
  /** The input tokens that were read from a cache. */
  readonly cachedTokens: number
  /** With reasoning tokens. */
  readonly outputTokens: number
  /** The sum over the requests with a known cost. */
  readonly costUsd: number
  /** Answered requests of unknown cost. */
  readonly unpriced: number
  /** How long answered requests took. Only if the query asks for it. */
  readonly latency?: AnswerTimes
  /** How long successful attempts took. Only if the query asks for it. */
  readonly attemptLatency?: AnswerTimes
}

/** Times in milliseconds, within 10%. Null: there were none. */
export interface AnswerTimes {
  /** The median. */
  readonly p50Ms: number | null
  /** The 95th percentile. */
  readonly p95Ms: number | null
}

/** The use of a key, according to its records. */
export interface KeyUse {
  /** All, with and without errors. */
  readonly requests: number
  /** The sum of the known costs in US dollars. */
  readonly costUsd: number
  /** Milliseconds since the epoch. */
  readonly lastUsedAt: number
}

/**
 * Reads the records that a log sink of the same plugin keeps. Records arrive a moment after the reply. Only `eraseContent` has a time limit.
 * `recordStoreSuite` of `turnpike/testing` checks an implementation, with its log sink.
 */
export interface RecordStore {
  /** The newest first. */
  page(filter: RecordFilter, query: PageQuery): Maybe<readonly RecordFacts[]>
  /** In another order, or narrowed by numbers. Absent: the admin API then says that this store cannot sort. */
  ranked?(filter: RecordFilter, query: RankedQuery): Maybe<RankedPage>
  /** By the id of the request, or of its response or decision. */
  find(id: string): Maybe<RecordFacts | undefined>
  /** The unsealed content. Undefined if there is none. `id` is the id of the request. */
  content(id: string): Maybe<RecordContent | undefined>
  /**
   * Deletes the content of the record that answered with this id, for this owner. If the record arrives later, its content must not be kept
   * then, either. The record itself stays.
   */
  eraseContent(owner: string, answerId: string): Maybe<void>
  /** The oldest bucket first, in it the session that costs most, at most `limit` rows. Buckets without requests and attempts are left out. */
  usage(query: UsageQuery): Maybe<readonly UsageRow[]>
  /** By key id. Keys without records are left out. */
  keyUse(keys: readonly string[]): Maybe<ReadonlyMap<string, KeyUse>>
  /**
   * The ids of keys with a request at or after `since`, and the time of their last one, the earliest first. Absent: who looks for keys that were
   * used lately asks for the use of all of them.
   */
  usedKeys?(since: number, query: PageQuery): Maybe<readonly Position[]>
}
export const RecordStore = contract<RecordStore>('record-store', { version: 1, stability: 'stable' })
