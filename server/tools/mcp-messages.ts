import { isObject } from '../kit/json.ts'
import { assertFewValues } from '../kit/outbound/json-limits.ts'

/** A message may have this many values: parsing them takes a few milliseconds. */
const values_max = 20_000
/** The library checks the values of what is left of a message, which takes up to 10 µs for each. */
const checked_values_max = 4_000
/** More tools of a page, or parts of a result, are left out. */
const tools_max = 500
const parts_max = 200
const schema_key = 'schema_index'
const cut = { type: 'text', text: '[cut: the answer is longer]' }

/** What a server has said in one session, apart from what the library checks. */
export interface McpMessages {
  /**
   * Takes schemas and data out of a message, which the library would check in vain: JSON in, JSON out. Fails with an OutboundError if
   * the rest is still too much.
   */
  shorten: (text: string) => string
  /**
   * As `shorten`, for a message of a stream that answers the request with this id. Undefined if it doesn't belong to
   * the request.
   */
  shortenEvent: (text: string, request_id: unknown) => string | undefined
  /** The whole input schema of a tool that the library has passed on. */
  schemaOf: (input_schema: Record<string, unknown>) => unknown
  /** The data of the latest result of a tool. */
  data: () => unknown
  /** Whether a page had more tools than are passed on. */
  isCut: () => boolean
}

export function openMessages(): McpMessages {
  const schemas: unknown[] = []
  let data: unknown
  let is_cut = false

  function shortenTools(tools: unknown[]): unknown[] {
    is_cut = is_cut || tools.length > tools_max
    return tools.slice(0, tools_max).map((tool) => {
      if (!isObject(tool)) return tool
      const { name, description, inputSchema } = tool
      const type = isObject(inputSchema) ? inputSchema.type : undefined
      const index = schemas.push(inputSchema) - 1
      return { name, description, inputSchema: { type, [schema_key]: index } }
    })
  }

  function shortenResult({ tools, content, structuredContent, ...result }: Record<string, unknown>): object {
    if (structuredContent !== undefined) data = structuredContent
    return {
      ...result,
      ...(tools !== undefined && { tools: Array.isArray(tools) ? shortenTools(tools) : tools }),
      ...(content !== undefined && { content: Array.isArray(content) ? shortenContent(content) : content }),
    }
  }

  function shortenMessage(text: string, message: unknown): string {
    // The library says what is wrong if it is no message.
    const short =
      isObject(message) && isObject(message.result)
        ? JSON.stringify({ ...message, result: shortenResult(message.result) })
        : text
    assertFewValues(short, checked_values_max)
    return short
  }

  return {
    shorten: (text) => shortenMessage(text, parse(text)),
    shortenEvent(text, request_id) {
      const message = parse(text)
      return isStray(message, request_id) ? undefined : shortenMessage(text, message)
    },
    schemaOf: ({ [schema_key]: index }) => (typeof index === 'number' ? schemas[index] : undefined),
    data: () => data,
    isCut: () => is_cut,
  }
}

const shortenContent = (content: unknown[]): unknown[] =>
  content.length > parts_max ? [...content.slice(0, parts_max), cut] : content

/**
 * Whether a message is left out: nobody reads notifications, and the library takes responses to other requests for
 * errors.
 */
function isStray(message: unknown, request_id: unknown): boolean {
  if (!isObject(message)) return false
  const { id, method } = message
  const has_id = id !== undefined && id !== null
  return method === undefined ? has_id && String(id) !== String(request_id) : !has_id
}

function parse(text: string): unknown {
  assertFewValues(text, values_max)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
