import { setTimeout as sleep } from 'node:timers/promises'
import type { Advance, TestClock } from '../../sdk/src/index.ts'
import { atWorkspace, type Service } from '../kit/at.ts'
import { Problem } from '../kit/problem.ts'
import type { Shell } from '../start/shell.ts'
import * as workspaces from '../workspaces/store.ts'
import { type ApiClient, assertRunning, openApiClient } from './api-client.ts'
import { stopSignal, withKey } from './api-session.ts'
import { UsageError } from './command.ts'
import type { Answer } from './run.ts'
import { findWorkspace } from './workspace-actions.ts'

const key = { name: 'parley clock', scopes: ['test_clock:read', 'test_clock:write'], lasts_ms: 3_600_000 }
const poll_every_ms = 250
const names_shown_max = 20

export const showClock = (service: Service, shell: Shell, workspace_name: string | undefined): Promise<Answer> =>
  withApi(service, shell, workspace_name, async (api) => toAnswer(await api.testClock.get()))

/** Waits until the clock is ready, with its time as progress on a terminal. */
export const advanceClock = (
  service: Service,
  shell: Shell,
  workspace_name: string | undefined,
  { input, is_json }: { input: Advance; is_json: boolean },
): Promise<Answer> =>
  withApi(service, shell, workspace_name, async (api) => {
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
  })

function toAnswer(clock: TestClock): Answer {
  const { now, status, target, seed, error } = clock
  const state = status === 'ready' ? 'ready' : `advancing to ${target}`
  const error_line = error === null ? '' : `\n${error}`
  return { data: { test_clock: clock }, text: `${now} (${state}, seed ${seed})${error_line}` }
}

async function withApi(
  service: Service,
  shell: Shell,
  workspace_name: string | undefined,
  work: (api: ApiClient) => Promise<Answer>,
): Promise<Answer> {
  const workspace = await chooseTestWorkspace(service, workspace_name)
  const address = service.tools.address()
  await assertRunning(address)
  return withKey(shell, await atWorkspace(service, workspace.id), key, (token) => work(openApiClient(address, token)))
}

async function chooseTestWorkspace(service: Service, name: string | undefined): Promise<workspaces.ListedWorkspace> {
  if (name !== undefined) return findWorkspace(service, name)
  const tests = (await workspaces.list({ db: service.pool })).filter(({ kind }) => kind === 'test')
  const [only, ...others] = tests
  if (!only) throw new Problem('NOT_FOUND', 'there is no test workspace: parley workspace create NAME --test')
  if (others.length === 0) return only
  const names = tests.slice(0, names_shown_max).map((one) => `"${one.name}"`)
  throw new UsageError(`there are ${tests.length} test workspaces: ${names.join(', ')}. Use --workspace.`)
}
