import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Answers every request like OpenAI's Chat Completions API, with the same pieces at the same pace. */
const first_piece_ms = 50
const piece_every_ms = 20
const pieces = ['We', ' are', ' open', ' from', ' nine', ' to', ' six,', ' Monday', ' to', ' Friday.']

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_763_199_000, model: 'small' }
const toEvent = (chunk: object): string => `data: ${JSON.stringify({ ...head, ...chunk })}\n\n`
const choice = (delta: object, finish_reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason }] })
const usage = { prompt_tokens: 12, completion_tokens: 10, total_tokens: 22 }
// Made before the first request, so that an answer costs little.
const events = pieces.map((content) => Buffer.from(toEvent(choice({ content }, null))))
const last_event = `${toEvent(choice({}, 'stop'))}${toEvent({ choices: [], usage })}data: [DONE]\n\n`

async function answer(response: http.ServerResponse): Promise<void> {
  await sleep(first_piece_ms)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [index, event] of events.entries()) {
    if (index > 0) await sleep(piece_every_ms)
    response.write(event)
  }
  response.end(last_event)
}

const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume().on('end', () => void answer(response))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('disconnect', () => process.exit())
