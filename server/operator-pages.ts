import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from './kit/at.ts'
import type { AnswerPage } from './kit/http/pages.ts'
import type { SiteAnswer } from './kit/http/static-site.ts'
import { openReadinessCheck } from './kit/postgres/ready.ts'
import { engine_lag } from './kit/work/observe.ts'

/** Whoever asks for metrics waits no longer for the database. */
const lag_within_ms = 2_000

export interface OperatorPages {
  /** By path. */
  pages: Record<string, AnswerPage>
  close: () => void
}

interface OperatorPageOptions {
  service: Service
  migrations: string
  isStopping: () => boolean
}

/** What load balancers and monitoring ask for. */
export function openOperatorPages({ service, migrations, isStopping }: OperatorPageOptions): OperatorPages {
  const { pool } = service
  const { metrics, live_calls, readStatus } = service.tools
  const isReady = openReadinessCheck(pool, migrations)
  metrics.read(engine_lag, async () => {
    const status = await Promise.race([readStatus(), sleep(lag_within_ms, undefined, { ref: false })])
    return (status?.engines ?? []).map(({ kind, lag_seconds }) => ({ labels: [kind], value: lag_seconds }))
  })
  const pages: Record<string, AnswerPage> = {
    '/health': () => json(200, { status: 'ok' }),
    '/ready': async () => {
      // A stop that began during the check counts.
      const isEnding = () => isStopping() || live_calls.is_draining
      const is_ready = !isEnding() && (await isReady()) && !isEnding()
      return json(is_ready ? 200 : 503, { status: is_ready ? 'ready' : 'not ready' })
    },
    '/metrics': async () => ({
      status: 200,
      headers: { 'content-type': metrics.content_type },
      body: await metrics.text(),
    }),
  }
  return { pages, close: metrics.watchProcess() }
}

const json = (status: number, body: unknown): SiteAnswer => ({ status, headers: {}, body: JSON.stringify(body) })
