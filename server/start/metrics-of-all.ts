import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../kit/json.ts'
import { type Metrics, sumTexts } from '../kit/metrics.ts'
import * as problem from '../kit/problem.ts'
import { product } from '../product.ts'
import { notifyLauncher, type Others } from './launcher.ts'
import type { Shell } from './shell.ts'

/** The wait for the launcher, which answers within three seconds, also when a process doesn't. */
const answer_within_ms = 4_000

interface OfProcess {
  process: number
  /** The last metrics of the process, if it was ever asked. */
  text?: string
  /** Whether the process is there and answers. */
  is_current: boolean
}

/**
 * Shows the metrics of all processes, whichever is asked: counters and histograms are summed, gauges have the label `process`. The
 * launcher (bin/metrics.mjs) passes them on.
 */
export function showMetricsOfAll(metrics: Metrics, shell: Shell, others: Others, process_number: number): void {
  let takeOthers: (rest: OfProcess[]) => void = () => {}
  let answering: Promise<string> | undefined

  async function readOwn(read: () => Promise<string>): Promise<string> {
    return sumTexts([{ text: await read(), gauge_label: '' }, { text: withoutRestarts(others.metrics_before) }])
  }

  async function readAll(read: () => Promise<string>): Promise<string> {
    const text = await readOwn(read)
    const { promise, resolve } = Promise.withResolvers<OfProcess[]>()
    takeOthers = resolve
    void notifyLauncher(shell, { type: 'metrics of others wanted', text })
    const rest = await Promise.race([promise, sleep(answer_within_ms, undefined, { ref: false })])
    if (!rest) throw problem.unavailable(new Error('the launcher does not answer'))
    const all = [{ process: process_number, text, is_current: true }, ...rest]
    return sumTexts(
      all
        .toSorted((one, other) => one.process - other.process)
        .map(({ process, text = '', is_current }) => ({ text, gauge_label: is_current ? label(process) : undefined })),
    )
  }

  const readThis = metrics.showWith((read) => {
    // All who ask share one request at a time.
    answering ??= readAll(read).finally(() => {
      answering = undefined
    })
    return answering
  })
  shell.on('message', (message) => {
    if (!isObject(message)) return
    if (message.type === 'metrics wanted')
      readOwn(readThis)
        .then((text) => notifyLauncher(shell, { type: 'metrics', text }))
        // The launcher then answers with the metrics of the other processes.
        .catch(() => {})
    // bin/metrics.mjs sends this message.
    if (message.type === 'metrics of others') takeOthers(message.metrics as OfProcess[])
  })
}

const label = (process: number): string => `process="${process}"`

/** Removes the metric of restarts, which the launcher counts for each process. */
const withoutRestarts = (text: string): string =>
  text.replace(new RegExp(`^${product.short_name}_restarts_total .*\n`, 'm'), '')
