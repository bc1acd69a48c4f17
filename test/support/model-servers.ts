import type http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Receiver, receiver } from './receivers.ts'

/** How a fake model server answers. */
export interface ModelAnswer {
  words: string[]
  tool_call?: CalledTool
  /** Calls of OpenAI's API that come in one answer. */
  tool_calls?: CalledTool[]
  /** The tool is called only in the first answer. */
  calls_once?: boolean
  /** The finish reason of OpenAI's API. */
  finish_reason?: string
  /** Called before each word, so that a test can hold the next one back. */
  beforeWord?: (index: number) => unknown
}

interface CalledTool {
  name: string
  arguments: object
}

export interface ModelServer extends Receiver {
  /** The `base_url` of a provider with this server. */
  base_url: string
  /** Requests whose connection the client has closed before the answer was complete. */
  aborted: number
}

type Write = (response: http.ServerResponse, answer: ModelAnswer, is_streamed: boolean) => Promise<void>

/** Starts a server that answers like OpenAI's Chat Completions API. */
export const openaiServer = (answer: ModelAnswer): Promise<ModelServer> => modelServer(answer, writeCompletion)

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type ChosenBy = (request: any) => ModelAnswer | undefined

/**
 * Starts a server like OpenAI's that chooses an answer to each request. It never answers a request for which there is
 * none.
 */
export const choosingServer = (choose: ChosenBy): Promise<ModelServer> => modelServer(choose, writeCompletion)

/** Starts a server that answers like Anthropic's Messages API. */
export const anthropicServer = (answer: ModelAnswer): Promise<ModelServer> => modelServer(answer, writeMessage)

async function modelServer(given: ModelAnswer | ChosenBy, write: Write): Promise<ModelServer> {
  const counts = { aborted: 0 }
  const there = await receiver(async (response) => {
    response.on('close', () => {
      if (!response.writableFinished) counts.aborted += 1
    })
    const request = JSON.parse(there.received.at(-1)?.body ?? '{}')
    const { stream = false } = request
    const answer = typeof given === 'function' ? given(request) : given
    if (!answer) return
    const is_later = answer.calls_once && there.received.length > 1
    const { tool_call: _, ...without_call } = answer
    await write(response, is_later ? without_call : answer, stream)
  })
  const server: ModelServer = {
    ...there,
    base_url: there.url.replace('/hook', '/v1'),
    get aborted() {
      return counts.aborted
    },
  }
  return server
}

const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }

const writeCompletion: Write = async (response, { words, tool_call, beforeWord, ...answer }, is_streamed) => {
  const head = { id: 'chatcmpl-1', created: 1763199000, model: 'small' }
  const called = answer.tool_calls ?? (tool_call ? [tool_call] : [])
  const calls = called.map(({ name, arguments: values }, index) => ({
    id: `call_${index + 1}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(values) },
  }))
  const finish_reason = answer.finish_reason ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  if (!is_streamed) {
    const message = { role: 'assistant', content: words.join(''), ...(calls.length > 0 && { tool_calls: calls }) }
    const choices = [{ index: 0, message, finish_reason, logprobs: null }]
    return sendJson(response, { ...head, object: 'chat.completion', choices, usage })
  }
  const send = sendEvents(response)
  const chunk = (delta: object, reason: string | null = null) =>
    send({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })
  chunk({ role: 'assistant', content: '' })
  for (const [index, word] of words.entries()) {
    await beforeWord?.(index)
    chunk({ content: word })
  }
  if (calls.length > 0) chunk({ tool_calls: calls.map((call, index) => ({ index, ...call })) })
  chunk({}, finish_reason)
  send({ ...head, object: 'chat.completion.chunk', choices: [], usage })
  response.end('data: [DONE]\n\n')
}

const writeMessage: Write = async (response, { words, tool_call, beforeWord }, is_streamed) => {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'small', stop_sequence: null }
  const stop_reason = tool_call ? 'tool_use' : 'end_turn'
  const call = tool_call && { type: 'tool_use', id: 'toolu_1', name: tool_call.name }
  if (!is_streamed) {
    const content = [{ type: 'text', text: words.join('') }, ...(call ? [{ ...call, input: tool_call.arguments }] : [])]
    return sendJson(response, { ...head, content, stop_reason, usage: { input_tokens: 12, output_tokens: 3 } })
  }
  const send = (event: { type: string } & Record<string, unknown>) => sendEvents(response)(event, event.type)
  const message = { ...head, content: [], stop_reason: null, usage: { input_tokens: 12, output_tokens: 1 } }
  send({ type: 'message_start', message })
  send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  for (const [index, text] of words.entries()) {
    await beforeWord?.(index)
    send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  }
  send({ type: 'content_block_stop', index: 0 })
  if (call) {
    send({ type: 'content_block_start', index: 1, content_block: { ...call, input: {} } })
    const partial_json = JSON.stringify(tool_call.arguments)
    send({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json } })
    send({ type: 'content_block_stop', index: 1 })
  }
  send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 3 } })
  send({ type: 'message_stop' })
  response.end()
}

function sendJson(response: http.ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function sendEvents(response: http.ServerResponse): (data: object, event?: string) => void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (data, event) => {
    response.write(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
  }
}

/** Waits until the condition holds. Fails after ten seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries > 1_000) throw new Error('the condition did not become true')
    await sleep(10)
  }
}
