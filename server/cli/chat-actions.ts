import * as api_keys from '../api-keys/store.ts'
import { newToken } from '../api-keys/token.ts'
import { type At, atWorkspace, inTransaction, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { findAgent } from './agent-actions.ts'
import { assertRunning, openApiClient } from './api-client.ts'
import { openJsonScreen, openTextScreen } from './chat-screen.ts'
import { holdConversation } from './chat-session.ts'
import { reportError } from './report-error.ts'
import { findWorkspace } from './workspace-actions.ts'

const key_lasts_ms = 3_600_000
const scopes = ['conversations:read', 'conversations:write']
/** As shells report them. */
const exit_codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

export interface ChatOptions {
  workspace?: string
  draft?: boolean
}

/** Talks to an agent through the API of the running service, on standard input and output. */
export async function chat(
  service: Service,
  name: string,
  { workspace: workspace_name, draft = false, is_json }: ChatOptions & { is_json: boolean },
): Promise<undefined> {
  const workspace = await chooseWorkspace(service, workspace_name)
  const at = await atWorkspace(service, workspace.id)
  const agent = await findAgent(at, name, workspace)
  const address = service.tools.address()
  await assertRunning(address)
  const { stdin, stdout } = process
  const signal = stopSignal()
  const write = (text: string) => void stdout.write(text)
  const has_prompt = stdin.isTTY && stdout.isTTY
  await withKey(at, (token) =>
    holdConversation({
      api: openApiClient(address, token),
      start: { agent_id: agent.id, use_draft: draft },
      screen: is_json ? openJsonScreen(write) : openTextScreen(write, { has_prompt }),
      input: stdin,
      may_interrupt: stdin.isTTY,
      onRefused: (problem) => {
        process.exitCode = 1
        reportError(problem, is_json)
      },
      signal,
    }),
  )
  return undefined
}

async function chooseWorkspace(service: Service, name: string | undefined): Promise<workspaces.ListedWorkspace> {
  if (name !== undefined) return findWorkspace(service, name)
  const [oldest] = await workspaces.list({ db: service.pool })
  if (!oldest) throw new Problem('NOT_FOUND', 'there is no workspace: start the service once')
  return oldest
}

/** Revokes the key also after an error or a signal. After a kill it expires. */
async function withKey(at: At, work: (token: string) => Promise<void>): Promise<void> {
  const token = newToken()
  const created_at = clock.wall()
  const key = { name: 'parley chat', scopes, expires_at: clock.iso(created_at + key_lasts_ms) }
  const { id } = await inTransaction(at, (at) => api_keys.create(at, { token, key, created_at }))
  try {
    await work(token)
  } finally {
    await inTransaction(at, (at) => api_keys.revokeAny(at, id)).catch((error: Error) => {
      // Not thrown, because it would hide why the work has failed: when the service stops, so may its database.
      process.exitCode = 1
      console.error(`The key ${id} was not revoked and expires at ${key.expires_at}: ${error.message}`)
    })
  }
}

/** Aborted by Ctrl-C and other signals, and when nobody reads the output any more. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const [signal, code] of Object.entries(exit_codes)) {
    process.on(signal, () => {
      process.exitCode = code
      stop.abort()
    })
  }
  process.stdout.on('error', () => stop.abort())
  return stop.signal
}
