import { setTimeout as sleep } from 'node:timers/promises'
import type { Advance, TestClock } from '../../sdk/src/index.ts'
import type { Target } from './ask.ts'
import type { Answer } from './run.ts'
import { stopSignal } from './stop-signal.ts'

const poll_every_ms = 250

export const showClock = async ({ api }: Target): Promise<Answer> => toAnswer(await api.testClock.get())

/** Waits until the clock is ready, with its time as progress on a terminal. */
export async function advanceClock({ api, shell, is_json }: Target, input: Advance): Promise<Answer> {
  const signal = stopSignal(shell)
  const has_progress = shell.stderr.isTTY && !is_json
  let clock = await api.testClock.advance(input)
  while (clock.status === 'advancing' && !signal.aborted) {
    if (has_progress) shell.stderr.write(`\rAdvancing to ${clock.target}: ${clock.now}`)
    await sleep(poll_every_ms, undefined, { signal }).catch(() => {})
    if (!signal.aborted) clock = await api.testClock.get()
  }
  if (has_progress) shell.stderr.write('\n')
  return toAnswer(clock)
}

function toAnswer(clock: TestClock): Answer {
  const { now, status, target, seed, error } = clock
  const state = status === 'ready' ? 'ready' : `advancing to ${target}`
  const error_line = error === null ? '' : `\n${error}`
  return { data: { test_clock: clock }, text: `${now} (${state}, seed ${seed})${error_line}` }
}
