import { setTimeout as sleep } from 'node:timers/promises'
import { between, type Random } from './random.ts'
import { type Service, startService } from './service.ts'

/** The service that runs now. */
export interface Holder {
  service: Service
  started_at: number
}

export async function startHolder(stack: AsyncDisposableStack, environment: Record<string, string>): Promise<Holder> {
  return { service: await startService(stack, environment), started_at: performance.now() }
}

interface Kills {
  environment: Record<string, string>
  random: Random
  kills_max: number
  after_ms: { min: number; max: number }
  /** When there is nothing left to interrupt. */
  isDone?: () => boolean
}

/** Kills the service at random moments, and starts it again each time. Returns the number of kills. */
export async function killRepeatedly(stack: AsyncDisposableStack, holder: Holder, kills: Kills): Promise<number> {
  const { environment, random, kills_max, after_ms, isDone } = kills
  for (let count = 0; ; count += 1) {
    if (count === kills_max) return count
    await sleep(between(random, after_ms.min, after_ms.max))
    if (isDone?.()) return count
    await holder.service.kill()
    Object.assign(holder, await startHolder(stack, environment))
  }
}
