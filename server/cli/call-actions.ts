import type { NewCall } from '../../sdk/src/index.ts'
import { consoleOf } from '../start/shell.ts'
import { findAgent } from './agent-actions.ts'
import type { Target } from './ask.ts'
import { openCallJsonScreen, openCallTextScreen } from './call-screen.ts'
import { followCall } from './call-session.ts'
import { stopSignal } from './stop-signal.ts'

export interface CallOptions {
  agent: string
  channel?: string
  simulate?: string
  workspace?: string
}

/** Places a call through the API of the running service, and prints it. */
export async function call(
  target: Target,
  to: string,
  { agent: agent_name, channel, simulate }: CallOptions,
): Promise<undefined> {
  const { api, address, workspace, shell, is_json } = target
  const agent = await findAgent(target, agent_name)
  const signal = stopSignal(shell)
  const write = (text: string) => void shell.stdout.write(text)
  const new_call: NewCall = {
    agent_id: agent.id,
    to,
    ...(channel !== undefined && { channel_id: channel }),
    ...(simulate !== undefined && { simulate }),
  }
  const call = await api.calls.create(new_call)
  if (workspace.kind === 'test')
    consoleOf(shell).error(
      `The clock of "${workspace.name}" stands still. To let the call happen, advance it in another terminal: ` +
        `npx parley clock advance 5m --workspace "${workspace.name}"`,
    )
  const screen = is_json ? openCallJsonScreen(write) : openCallTextScreen(write, { address })
  await followCall({ api, call, screen, signal })
  return undefined
}
