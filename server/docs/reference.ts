import { exampleFence } from './area.ts'
import type { HeaderObject, ResponseObject, WebhookObject } from './document.ts'
import { fieldTable, responseTable } from './field-table.ts'

/** Writes the page of event types. */
export const eventsPage = (webhooks: WebhookObject[]): string =>
  [
    '# Event types',
    'The body that a [webhook](/docs/guide/webhooks) receives for each type of event. The [list and the stream of events](/docs/guide/events) have ' +
      'the same `data` and `previous`.',
    ...webhooks.flatMap(({ summary, description, requestBody }) => [
      `## ${summary}`,
      description,
      ...Object.values(requestBody.content).flatMap(({ schema, example }) => [
        exampleFence(example),
        '### Fields',
        responseTable(schema),
      ]),
    ]),
  ].join('\n\n')

export interface ErrorExample {
  code: string
  status: string
  value: unknown
}

/** Returns an example of each error, by code. */
export function listErrors(responses: [status: string, ResponseObject][]): ErrorExample[] {
  const errors = responses.flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) =>
      Object.entries(examples).map(([code, { value }]) => ({ code, status, value })),
    ),
  )
  const by_code = new Map(errors.map((error) => [error.code, error]))
  return [...by_code.values()].sort((one, other) => Number(one.status) - Number(other.status))
}

/** Writes the page of error codes. The guide's table of codes says what each one means. */
export const errorsPage = (errors: ErrorExample[], guide: string): string =>
  [
    '# Errors',
    'Every error has the body that [Envelope](/docs/guide/envelope) describes. Programs go by `code`; `message` is for people. Quote `request_id` when you ask for help.',
    ...errors.flatMap(({ code, status, value }) => [
      `## ${code}`,
      `Status ${status}. ${meaningOf(code, guide)}`,
      exampleFence(value),
    ]),
  ].join('\n\n')

const meaningOf = (code: string, guide: string): string =>
  new RegExp(`^\\| \`${code}\` \\| \\d+ \\| (.*) \\|$`, 'm').exec(guide)?.[1] ?? ''

/** Writes the page of response headers. */
export const headersPage = (headers: Record<string, HeaderObject>): string => {
  const rows = Object.entries(headers).map(([name, { description = '', schema }]) => {
    const examples = (schema.examples ?? []).map((example) => ` Example: \`${String(example)}\`.`)
    return { name, mark: '', schema: { ...schema, description: description + examples.join('') } }
  })
  return `# Response headers\n\n${fieldTable(rows, 'Header')}`
}
