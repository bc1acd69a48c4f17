import assert from 'node:assert/strict'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../../server/api.ts'
import { newTenant, type Tenant, withEmbeddedPool } from '../service.ts'
import type { Attack, AttackWorld } from './attack.ts'
import { newCaller, type Send, senderFor } from './campaign-requests.ts'

const hostile_tenants = 2
const contacts = { long: 10_000, short: 50 }
const small_forecasts = { long: 5, short: 1 }
/** Every second request is given up after this long. */
const patience_ms = 200
const poll_every_ms = 100
/** Long enough for any machine. */
const timeout_ms = 240_000

/** Nobody is ever reached, and everyone is tried as often as possible, at any time. */
const largest = {
  attempts_max: 20,
  retry: [{ outcome: 'no_answer', attempts_max: 20, waits_seconds: [60] }],
  caps: { per_day: 100, per_week: 500, gap_hours_min: 0 },
  windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], start: '00:00', end: '24:00' }],
  pacing: { in_flight_max: 10_000, starts_per_second: 1_000, ramp_minutes: 0 },
}
const never_answered = {
  answered: 0,
  no_answer: 100,
  voicemail: 0,
  busy: 0,
  rejected: 0,
  unreachable: 0,
  error: 0,
}

/** Two tenants ask for large forecasts all the time, and often disconnect. A third one asks for small ones. */
export const attack: Attack = {
  name: 'large forecasts of two tenants',
  async run(world: AttackWorld) {
    const { is_long, print } = world
    const form = is_long ? 'long' : 'short'
    const hostile = await Promise.all(
      Array.from({ length: hostile_tenants }, () => openCampaign(world, contacts[form], largest)),
    )
    const small = await openCampaign(world, 3, {})
    const done = new AbortController()
    const attacking = hostile.map((one) => forecastAgainAndAgain(world.url, one, done.signal))
    let longest_ms = 0
    try {
      for (let count = 0; count < small_forecasts[form]; count += 1) {
        const { status, duration_ms } = await requestForecast(world.url, small, { seed: 1 })
        assert.equal(status, 200)
        longest_ms = Math.max(longest_ms, duration_ms)
      }
    } finally {
      done.abort()
    }
    const statuses = (await Promise.all(attacking)).flat()
    assert.deepEqual(
      statuses.filter((status) => ![200, 409, 503].includes(status)),
      [],
    )
    print(`a small forecast took at most ${longest_ms.toFixed(0)} ms, beside ${statuses.length} large ones`)
  },
}

interface Forecasted {
  tenant: Tenant
  campaign_id: string
}

async function openCampaign({ stack, url, data_dir }: AttackWorld, count: number, fields: object): Promise<Forecasted> {
  const tenant = await withEmbeddedPool(data_dir, (pool) => newTenant(pool, scopes))
  const send = senderFor(stack, url, tenant)
  await send('PATCH', '/workspace', { settings: { calls_in_flight_max: 10_000 } })
  const caller = await newCaller(send, data_dir, tenant)
  const { id: campaign_id } = await send('POST', '/campaigns', { name: 'Forecasted', ...caller, ...fields })
  const rows = Array.from({ length: count }, (_, index) => ({ phone: `+1415${5_550_000 + index}` }))
  await untilFinished(send, (await send('POST', '/contacts/imports', { rows, campaign_id })).id)
  return { tenant, campaign_id }
}

async function untilFinished(send: Send, id: string): Promise<void> {
  const begun_at = performance.now()
  while ((await send('GET', `/contacts/imports/${id}`)).status !== 'finished') {
    assert.ok(performance.now() - begun_at < timeout_ms, 'an import does not finish')
    await sleep(poll_every_ms)
  }
}

/** Returns the statuses of the responses that it waits for. */
async function forecastAgainAndAgain(url: string, one: Forecasted, done: AbortSignal): Promise<number[]> {
  const statuses: number[] = []
  for (let seed = 1; !done.aborted; seed += 1) {
    const gives_up = seed % 2 === 0
    const signal = gives_up ? AbortSignal.any([done, AbortSignal.timeout(patience_ms)]) : done
    const reply = await requestForecast(url, one, { seed, mix: never_answered }, signal).catch(() => undefined)
    if (reply) statuses.push(reply.status)
  }
  return statuses
}

function requestForecast(
  url: string,
  { tenant, campaign_id }: Forecasted,
  body: object,
  signal = AbortSignal.timeout(timeout_ms),
): Promise<{ status: number; duration_ms: number }> {
  const begun_at = performance.now()
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/api/v1/campaigns/${campaign_id}/forecast`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      signal,
    })
    request.on('response', (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, duration_ms: performance.now() - begun_at }))
    })
    request.on('error', reject)
    request.end(JSON.stringify(body))
  })
}
