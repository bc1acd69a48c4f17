import { type Static, Type } from 'typebox'
import {
  allOptional,
  body,
  id,
  multiline,
  oneOf,
  optionalText,
  optionalTimestamp,
  text,
  timestamp,
} from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

export const tools_max = 200
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type ToolMethod = (typeof methods)[number]

/** Tools that agents have without a tool of the workspace. */
export const built_in_names = [
  'end_conversation',
  'hand_over',
  'set_result',
  'update_contact',
  'opt_out',
  'schedule_callback',
  'transfer',
  'press_digits',
  'search_knowledge',
]

const kinds = ['http', 'mcp'] as const
const kind = {
  description:
    '`http`: agents send a request to the URL. `mcp`: the URL is that of a server that speaks the Model Context Protocol, and agents ' +
    "name its tools, such as `crm__search`. Can't be changed.",
  examples: ['http'],
}
/** Names of tools as agents use them: those of MCP servers may have capital letters and `-`. */
export const named_tool_pattern = '^[A-Za-z0-9_-]{1,64}$'
const name_text = {
  maxLength: 64,
  pattern: '^[a-z0-9_]+$',
  description: "Lower-case letters, digits and `_`. Unique in the workspace, and can't be changed: agents name it.",
  examples: ['book_slot'],
}
const description_text = {
  maxLength: 1_000,
  description: 'Tells the model what the tool does and when to use it.',
  examples: ['Books an appointment.'],
}
const parameters_text = {
  description:
    'The JSON Schema of the arguments, of the type `object`: see "Tools" in the guide for the keywords. By default there are no arguments.',
  examples: [
    { type: 'object', properties: { day: { type: 'string', description: 'Such as 2026-11-17.' } }, required: ['day'] },
  ],
}
const url_text = {
  maxLength: 2_000,
  description: 'A URL that begins with https:// or http://, on a public host, without user name and password.',
  examples: ['https://shop.example/tools/book'],
}
const method = oneOf(methods, {
  description: 'With GET and DELETE, the arguments are in the query; otherwise in the JSON body.',
  examples: ['POST'],
})
const timeout_limits = { minimum: 100, maximum: 20_000, examples: [8_000] }
const timeout_text = 'How long the whole request may take.'
const side_effects_text =
  'Whether a call changes something. Only calls without side effects are repeated, once, after a failure.'
const say_while_text = {
  maxLength: 200,
  description:
    'What the agent says while the tool runs. With `confirm`, what it asks before: `{{day}}` stands for the argument `day`.',
  examples: ['One moment, please.'],
}
const calls_max_text = {
  minimum: 1,
  maximum: 100,
  description:
    'How often a model may run the tool in one answer to the contact. `null`: 5 with side effects, otherwise as often as the agent may ' +
    'run tools. Beyond it the run is `refused`, and the model is told.',
  examples: [null],
}
const may_repeat_text =
  'Whether a model may repeat a run with side effects that has succeeded, with the same arguments, before the contact has spoken. ' +
  'If not, the run is `refused`, and the model gets the first result.'
const confirm_text =
  'Whether the agent reads the arguments back before a model runs the tool, and runs it only after a clear yes.'

const tool = {
  id: id('The unique id of the tool. Treat it as opaque.'),
  kind: oneOf(kinds, kind),
  name: Type.String(name_text),
  description: Type.Unsafe<string | null>({ type: ['string', 'null'], ...description_text }),
  parameters: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...parameters_text }),
  url: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...url_text,
    description: `${url_text.description} \`null\` for people who are not owners.`,
  }),
  method,
  headers: Type.Unsafe<Record<string, null>>({
    type: 'object',
    additionalProperties: { type: 'null' },
    description: 'The names of the headers. Their values are never returned. Empty for people who are not owners.',
    examples: [{ 'x-api-key': null }],
  }),
  timeout_ms: Type.Integer({ ...timeout_limits, description: timeout_text }),
  has_side_effects: Type.Boolean({ description: side_effects_text, examples: [true] }),
  say_while: Type.Unsafe<string | null>({ type: ['string', 'null'], ...say_while_text }),
  calls_max: Type.Unsafe<number | null>({ type: ['integer', 'null'], ...calls_max_text }),
  may_repeat: Type.Boolean({ description: may_repeat_text, examples: [false] }),
  confirm: Type.Boolean({ description: confirm_text, examples: [false] }),
  previous_secret_until: optionalTimestamp('Until when the previous secret also signs requests, after a rotation.'),
  created_at: timestamp('When the tool was created.'),
  updated_at: timestamp('When the tool was last changed.'),
}

export const Tool = Type.Object(tool, { title: 'Tool' })
export type Tool = Static<typeof Tool>

export const ToolWithSecret = Type.Object(
  {
    ...tool,
    secret: Type.String({
      description: 'Signs requests, by Standard Webhooks. It is returned only this once.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwm0Y1u8xJtAo='],
    }),
  },
  { title: 'ToolWithSecret' },
)
export type ToolWithSecret = Static<typeof ToolWithSecret>

const changeable = {
  description: Type.Optional(optionalText({ ...description_text, ...multiline })),
  // `parameterFaults` checks this, and allows a part of JSON Schema.
  parameters: Type.Optional(Type.Unsafe<unknown>(parameters_text)),
  url: text(url_text),
  method: Type.Optional(method),
  headers: Type.Optional(
    Type.Unsafe<Record<string, string | null>>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'], maxLength: 2_000, pattern: '^[\\x20-\\x7e]*$' },
      description:
        'Headers to send, such as an API key: at most 20. Replaces all of them, except that `null` keeps the stored value. A ' +
        'change of scheme, host or port of `url` removes stored values, unless they are sent again.',
      examples: [{ 'x-api-key': 'secret' }],
    }),
  ),
  timeout_ms: Type.Optional(Type.Integer({ ...timeout_limits, description: `${timeout_text} The default is 8,000.` })),
  has_side_effects: Type.Optional(
    Type.Boolean({ description: `${side_effects_text} The default is \`true\`.`, examples: [true] }),
  ),
  say_while: Type.Optional(optionalText(say_while_text)),
  calls_max: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], ...calls_max_text })),
  may_repeat: Type.Optional(
    Type.Boolean({ description: `${may_repeat_text} The default is \`false\`.`, examples: [false] }),
  ),
  confirm: Type.Optional(Type.Boolean({ description: `${confirm_text} The default is \`false\`.`, examples: [false] })),
}

export const NewTool = body(
  'NewTool',
  {
    kind: Type.Optional(oneOf(kinds, { ...kind, description: `${kind.description} The default is \`http\`.` })),
    name: text(name_text),
    ...changeable,
  },
  ToolWithSecret,
)
export type NewTool = Static<typeof NewTool>

export const ToolChange = body('ToolChange', allOptional(changeable), ToolWithSecret)
export type ToolChange = Static<typeof ToolChange>

export const ToolQuery = page.query({})

export const ToolTest = Type.Object(
  {
    arguments: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: {},
        description: 'The arguments of the call. By default there are none.',
        examples: [{ day: '2026-11-17' }],
      }),
    ),
  },
  { title: 'ToolTest', additionalProperties: false },
)
