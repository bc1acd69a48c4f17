import { atWorkspace, type Service } from '../kit/at.ts'
import type { Shell } from '../start/shell.ts'
import { findAgent } from './agent-actions.ts'
import { assertRunning, openApiClient, toCommandError } from './api-client.ts'
import { chooseWorkspace, stopSignal, withKey } from './api-session.ts'
import { openJsonScreen, openTextScreen } from './chat-screen.ts'
import { holdConversation } from './chat-session.ts'
import { reportError } from './report-error.ts'

const key = { name: 'parley chat', scopes: ['conversations:read', 'conversations:write'], lasts_ms: 3_600_000 }

export interface ChatOptions {
  workspace?: string
  draft?: boolean
}

/** Talks to an agent through the API of the running service, on standard input and output. */
export async function chat(
  service: Service,
  shell: Shell,
  name: string,
  { workspace: workspace_name, draft = false, is_json }: ChatOptions & { is_json: boolean },
): Promise<undefined> {
  const workspace = await chooseWorkspace(service, workspace_name)
  const at = await atWorkspace(service, workspace.id)
  const agent = await findAgent(at, name, workspace)
  const address = service.tools.address()
  await assertRunning(address)
  const { stdin, stdout } = shell
  const is_typed = stdin.isTTY === true
  const signal = stopSignal(shell)
  const write = (text: string) => void stdout.write(text)
  const has_prompt = is_typed && stdout.isTTY === true
  await withKey(shell, at, key, (token) =>
    holdConversation({
      api: openApiClient(address, token),
      start: { agent_id: agent.id, use_draft: draft },
      screen: is_json ? openJsonScreen(write) : openTextScreen(write, { has_prompt }),
      input: stdin,
      may_interrupt: is_typed,
      onRefused: (error) => {
        shell.exitCode = 1
        reportError(shell, toCommandError(error, address), { is_json })
      },
      signal,
    }),
  )
  return undefined
}
