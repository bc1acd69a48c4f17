import type http from 'node:http'
import type { ModelServer } from './model-servers.ts'
import { type Receiver, receiver } from './receivers.ts'

/** How a model server answers one request. */
type Act = (response: http.ServerResponse) => void

export interface Point {
  /**
   * How requests are answered until the model has failed for good, in order. A request that fails before its first
   * piece is sent twice.
   */
  acts: Act[]
  /** What the failing request has said. */
  said: string
  /** What was said before the failing request. */
  said_before?: string
}

const head = { id: 'chatcmpl-1', created: 1763199000, model: 'small', object: 'chat.completion.chunk' }

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const words = (content: string): string => chunk({ role: 'assistant', content })

const toolCall = (name: string): string =>
  chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: '{}' } }] })

const begins = (response: http.ServerResponse): http.ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' })

const sends =
  (...chunks: string[]): Act =>
  (response) =>
    begins(response).end(`${chunks.join('')}data: [DONE]\n\n`)

/** Ends the connection in the middle of the answer, when the beginning was sent. */
const isCutAfter =
  (...chunks: string[]): Act =>
  (response) => {
    begins(response).flushHeaders()
    response.write(`: begins\n\n${chunks.join('')}`, () => response.socket?.destroySoon())
  }

/** Sends the beginning of an answer, and leaves the connection open. */
const hangsAfter =
  (...chunks: string[]): Act =>
  (response) =>
    begins(response).write(`: begins\n\n${chunks.join('')}`)

const answers500: Act = (response) => response.writeHead(500).end('oops')
const hangs: Act = () => {}
const callsTool = (said: string): Act => sends(words(said), toolCall('look_up'), chunk({}, 'tool_calls'))
const finishes = (reason: string): Act => sends(words(''), chunk({}, reason))

const check = 'Let me check.'
const part = 'We are open from '

/** Every point at which an answer can fail. */
export const points: Record<string, Point> = {
  'answers with 500': { acts: [answers500, answers500], said: '' },
  'is cut after the headers': { acts: [isCutAfter(), isCutAfter()], said: '' },
  'is cut after the first piece': { acts: [isCutAfter(words('We'))], said: 'We' },
  'is cut in the middle of a sentence': { acts: [isCutAfter(words('We are '), words('open from '))], said: part },
  'is cut after a tool call': { acts: [isCutAfter(toolCall('look_up')), isCutAfter(toolCall('look_up'))], said: '' },
  'is cut after words and a tool call': { acts: [isCutAfter(words(check), toolCall('look_up'))], said: check },
  'fails after a tool': { acts: [callsTool(''), answers500, answers500], said: '' },
  'fails after words and a tool': { acts: [callsTool(check), answers500, answers500], said: '', said_before: check },
  'is cut after a tool and part of a sentence': {
    acts: [callsTool(check), isCutAfter(words(part))],
    said: part,
    said_before: check,
  },
  'finishes without words': { acts: [finishes('stop')], said: '' },
  'finishes with characters that nobody sees': {
    acts: [sends(words('\u200b\u2060'), words(' ... '), chunk({}, 'stop'))],
    said: '\u200b\u2060 ...',
  },
  'finishes without words at its limit': { acts: [finishes('length')], said: '' },
  'finishes without words by a filter': { acts: [finishes('content_filter')], said: '' },
  'finishes without words after words and a tool': {
    acts: [callsTool(check), finishes('stop')],
    said: '',
    said_before: check,
  },
  hangs: { acts: [hangs], said: '' },
  'hangs after words and a tool': { acts: [callsTool(check), hangs], said: '', said_before: check },
  'hangs in the middle of a sentence': { acts: [hangsAfter(words(part))], said: part },
}

/** Starts a server that fails at this point. After that it says goodbye, and ends the conversation. */
export async function failingModel({ acts }: Point): Promise<ModelServer> {
  const there = await receiver((response) => {
    const act = acts[there.received.length - 1]
    if (act) act(response)
    else sends(words('Goodbye.'), toolCall('end_conversation'), chunk({}, 'tool_calls'))(response)
  })
  return toModel(there)
}

const toModel = (there: Receiver): ModelServer => ({
  ...there,
  base_url: there.url.replace('/hook', '/v1'),
  aborted: 0,
})

/** Starts a server that calls a tool in every answer. */
export const toolLoop = async (): Promise<ModelServer> => toModel(await receiver(callsTool('')))

/** Starts a server that never answers. */
export const hangingModel = async (): Promise<ModelServer> => toModel(await receiver(hangs))

/** A model server at an address where nothing listens. */
export const refusing_model: ModelServer = { base_url: 'http://127.0.0.1:1/v1', url: '', received: [], aborted: 0 }
