import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { liveCalls } from './calls/live-calls.ts'
import type { Config } from './config.ts'
import type { Service } from './kit/at.ts'
import { hashOf } from './kit/crypto/secret.ts'
import { readBearerToken } from './kit/http/headers.ts'
import type { AnswerPage, PageRequest } from './kit/http/pages.ts'
import { type Http, openHttp } from './kit/http/server.ts'
import type { SiteAnswer } from './kit/http/static-site.ts'
import type { Log } from './kit/log.ts'
import { openReadinessCheck } from './kit/postgres/ready.ts'
import { Problem } from './kit/problem.ts'
import { currentSpan } from './kit/traces/span.ts'
import { engine_lag } from './kit/work/observe.ts'
import { installationStatus } from './people/installation-routes.ts'

/**
 * Requests for metrics wait no longer for the database. The launcher waits a second longer for a process
 * (bin/metrics.mjs).
 */
const lag_within_ms = 2_000

type Pages = Record<string, AnswerPage>

export interface OperatorPages {
  /** Pages by path for METRICS_PORT, which clients don't reach. */
  pages: Pages
  /** Pages by path for the port of the API, which proxies make public. Metrics require METRICS_TOKEN there. */
  public_pages: Pages
  close: () => void
}

interface OperatorPageOptions {
  service: Service
  config: Config
  migrations: string
  /** Whether the first workspace was set up. */
  isSetUp: () => Promise<boolean>
  isStopping: () => boolean
}

/** Opens the pages that load balancers and monitoring ask for. */
export function openOperatorPages(options: OperatorPageOptions): OperatorPages {
  const { service, config, isStopping } = options
  const { pool } = service
  const { metrics } = service.tools
  const live_calls = liveCalls.of(service)
  const readStatus = installationStatus.of(service)
  const checkReadiness = openReadinessCheck(pool, options)
  const readLag = async () => {
    const status = await Promise.race([readStatus(), sleep(lag_within_ms, undefined, { ref: false })])
    return (status?.engines ?? []).map(({ kind, lag_seconds }) => ({ labels: [kind], value: lag_seconds }))
  }
  // The lag is that of the database, so only one of several processes reads it.
  if (config.process === 1) metrics.read(engine_lag, readLag)
  const showMetrics = async () => ({
    status: 200,
    headers: { 'content-type': metrics.content_type },
    body: await metrics.text(),
  })
  const pages: Pages = untraced({
    '/health': () => json(200, { status: 'ok' }),
    '/ready': async () => {
      // The service isn't ready either when a stop began during the check.
      const isEnding = () => isStopping() || live_calls.is_draining
      if (isEnding()) return json(503, { status: 'not ready' })
      const { is_ready, ...nodes } = await checkReadiness()
      return is_ready && !isEnding()
        ? json(200, { status: 'ready', ...nodes })
        : json(503, { status: 'not ready', ...nodes })
    },
    '/metrics': showMetrics,
  })
  const assertAllowed = metricsGuard(config.metrics_token)
  const guarded = untraced({
    '/metrics': (request) => {
      assertAllowed(request)
      return showMetrics()
    },
  })
  return { pages, public_pages: { ...pages, ...guarded }, close: metrics.watchProcess() }
}

const untraced = (pages: Pages): Pages =>
  Object.fromEntries(Object.entries(pages).map(([url, answer]) => [url, withoutTrace(answer)]))

/** Answers without a trace: monitoring asks every few seconds, and its traces would hide those of clients. */
const withoutTrace =
  (answer: AnswerPage): AnswerPage =>
  (request) => {
    const span = currentSpan()
    if (span) span.is_sampled = false
    return answer(request)
  }

/** A server that has these pages alone, for METRICS_PORT. */
export function openOperatorServer(pages: Pages, { service, log }: { service: Service; log: Log }): Http {
  const site = { answer: () => undefined }
  const http = openHttp({ doors: [], service, log, rate_limit_per_second: 0, trust_proxy: [], limits: {}, site })
  for (const [url, answer] of Object.entries(pages)) http.addPage(url, answer)
  return http
}

/**
 * Requires the token of those who read metrics. Without a configured token every request is refused, because a proxy on
 * this machine would show metrics to everybody.
 */
function metricsGuard(token: string | undefined): (request: PageRequest) => void {
  const unauthorized = (message: string) => new Problem('UNAUTHORIZED', message, {}, { 'www-authenticate': 'Bearer' })
  if (token === undefined)
    return () => {
      throw unauthorized('Set METRICS_TOKEN to read metrics here, or METRICS_PORT to read them at another port.')
    }
  const hash = hashOf(token)
  return ({ raw }) => {
    // Hashes have the same length, and comparing them takes the same time for every token.
    if (!timingSafeEqual(hashOf(readBearerToken(raw) ?? ''), hash))
      throw unauthorized('Send METRICS_TOKEN as "Authorization: Bearer <METRICS_TOKEN>".')
  }
}

const json = (status: number, body: unknown): SiteAnswer => ({ status, headers: {}, body: JSON.stringify(body) })
