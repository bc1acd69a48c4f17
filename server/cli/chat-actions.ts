import { findAgent } from './agent-actions.ts'
import type { Target } from './ask.ts'
import { openJsonScreen, openTextScreen } from './chat-screen.ts'
import { holdConversation } from './chat-session.ts'
import { reportError } from './report-error.ts'
import { stopSignal } from './stop-signal.ts'

export interface ChatOptions {
  workspace?: string
  draft?: boolean
}

/** Talks to an agent through the API of the running service, on standard input and output. */
export async function chat(target: Target, name: string, { draft = false }: ChatOptions): Promise<undefined> {
  const { api, shell, is_json, toCommandError } = target
  const agent = await findAgent(target, name)
  const { stdin, stdout } = shell
  const is_typed = stdin.isTTY === true
  const write = (text: string) => void stdout.write(text)
  const has_prompt = is_typed && stdout.isTTY === true
  await holdConversation({
    api,
    start: { agent_id: agent.id, use_draft: draft },
    screen: is_json ? openJsonScreen(write) : openTextScreen(write, { has_prompt }),
    input: stdin,
    may_interrupt: is_typed,
    onRefused: (error) => {
      shell.exitCode = 1
      reportError(shell, toCommandError(error), { is_json })
    },
    signal: stopSignal(shell),
  })
  return undefined
}
