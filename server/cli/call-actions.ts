import type { NewCall } from '../../sdk/src/index.ts'
import { atWorkspace, type Service, timeStands } from '../kit/at.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import { findAgent } from './agent-actions.ts'
import { assertRunning, openApiClient } from './api-client.ts'
import { chooseWorkspace, stopSignal, withKey } from './api-session.ts'
import { openCallJsonScreen, openCallTextScreen } from './call-screen.ts'
import { followCall } from './call-session.ts'

/** Longer than the longest call, which could otherwise not be hung up. */
const key_lasts_ms = 3 * 3_600_000
const key = { name: 'parley call', scopes: ['calls:read', 'calls:write'], lasts_ms: key_lasts_ms }

export interface CallOptions {
  agent: string
  channel?: string
  simulate?: string
  workspace?: string
}

/** Places a call through the API of the running service, and prints it. */
export async function call(
  service: Service,
  shell: Shell,
  to: string,
  { agent: agent_name, channel, simulate, workspace: workspace_name, is_json }: CallOptions & { is_json: boolean },
): Promise<undefined> {
  const workspace = await chooseWorkspace(service, workspace_name)
  const at = await atWorkspace(service, workspace.id)
  const agent = await findAgent(at, agent_name, workspace)
  const address = service.tools.address()
  await assertRunning(address)
  const signal = stopSignal(shell)
  const write = (text: string) => void shell.stdout.write(text)
  await withKey(shell, at, key, async (token) => {
    const api = openApiClient(address, token)
    const new_call: NewCall = {
      agent_id: agent.id,
      to,
      ...(channel !== undefined && { channel_id: channel }),
      ...(simulate !== undefined && { simulate }),
    }
    const call = await api.calls.create(new_call)
    if (timeStands(at))
      consoleOf(shell).error(
        `The clock of "${workspace.name}" stands still. To let the call happen, advance it in another terminal: ` +
          `npx parley clock advance 5m --workspace "${workspace.name}"`,
      )
    const screen = is_json ? openCallJsonScreen(write) : openCallTextScreen(write, { address })
    await followCall({ api, call, screen, signal })
  })
  return undefined
}
